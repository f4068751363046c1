import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** A checkout, built anew if it is not up to date: what is measured. */
export async function programAt(folder) {
  const root = resolve(folder)
  const launcher = join(root, 'parley')
  execFileSync(launcher, ['--help'], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    /** What a user starts. */
    launcher,
    /** What the program starts for itself. */
    server: [process.execPath, ...(await serverNodeFlags(root)), join(root, 'apps/tui/dist/server.mjs')],
  }
}

/** None in a checkout from before there were any. */
async function serverNodeFlags(root) {
  const path = join(root, 'apps/tui/src/cli/server-programs.ts')
  return existsSync(path) ? (await import(path)).serverNodeFlags : []
}
