import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Returns the program of a checkout, built anew if its sources are newer. */
export async function programAt(folder) {
  const root = resolve(folder)
  const launcher = join(root, 'parley')
  execFileSync(launcher, ['--help'], { stdio: ['ignore', 'ignore', 'inherit'] })
  return {
    /** Path that a user starts. */
    launcher,
    /** Command that starts the server of the program. */
    server: [process.execPath, ...(await serverNodeFlags(root)), join(root, 'apps/tui/dist/server.mjs')],
  }
}

/** Files that may hold the flags, newest first: the other checkout of a comparison may be older. */
const flagFiles = ['early-arguments.ts', 'server-programs.ts', 'server-node-flags.ts']

/** Returns no flags for a checkout from before there were any. */
async function serverNodeFlags(root) {
  const paths = flagFiles.map((name) => join(root, 'apps/tui/src/cli', name)).filter((path) => existsSync(path))
  for (const path of paths) {
    const { serverNodeFlags: flags } = await import(path)
    if (flags !== undefined) return flags
  }
  return []
}
