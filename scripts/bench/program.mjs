import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A built checkout: what is measured. */
export async function programAt(folder) {
  const root = resolve(folder)
  const dist = join(root, 'apps/tui/dist')
  if (!existsSync(join(dist, 'server.mjs'))) throw new Error(`${root} is not built; run ${join(root, 'parley')} once`)
  return {
    root,
    /** What a user starts. */
    launcher: join(root, 'parley'),
    /** What the program starts for itself. */
    server: [process.execPath, ...(await serverNodeFlags(root)), join(dist, 'server.mjs')],
  }
}

/** None in a checkout from before there were any. */
async function serverNodeFlags(root) {
  const path = join(root, 'apps/tui/src/cli/server-node-flags.ts')
  return existsSync(path) ? (await import(path)).serverNodeFlags : []
}
