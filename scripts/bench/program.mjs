import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A built checkout: what is measured. */
export function programAt(folder) {
  const root = resolve(folder)
  const dist = join(root, 'apps/tui/dist')
  if (!existsSync(join(dist, 'server.mjs'))) throw new Error(`${root} is not built; run ${join(root, 'parley')} once`)
  return {
    root,
    /** What a user starts. */
    launcher: join(root, 'parley'),
    /** What the program starts for itself. */
    server: [process.execPath, join(dist, 'server.mjs')],
  }
}
