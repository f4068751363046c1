import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SpawnedServer, spawnServer } from '@parley/client'
import type { Program } from '../main.ts'

export type LaunchedServer = SpawnedServer

interface LaunchOptions {
  readonly program: Program
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The server's program, which was built with this one. */
export function serverPath({ moduleUrl }: Program): string {
  return join(dirname(fileURLToPath(moduleUrl)), 'server.mjs')
}

/** A server in a process of its own. `args` are its own arguments, such as `--record FILE`. */
export function launchServer({ program, home, env }: LaunchOptions, args: readonly string[]): LaunchedServer {
  const command = [process.execPath, serverPath(program), ...args] as const
  return spawnServer({ command, env: { ...env, PARLEY_HOME: home }, home })
}

const withoutServer = new Set(['server', 'help', '--help', '-h', '--version', '-V', '--record'])

/**
 * A guess from the words alone, made before the command line is parsed; a wrong one costs a process that leaves
 * again. Null when no server seems to be needed, or one with arguments of its own.
 */
export function launchEarly(argv: readonly string[], options: LaunchOptions): LaunchedServer | null {
  if (argv.some((word) => withoutServer.has(word) || word.startsWith('--record='))) return null
  const env = argv.includes('demo') ? withOwnNode(options.env) : options.env
  return launchServer({ ...options, env }, argv.includes('exec') ? scriptedArgs : [])
}

/** The demo runs tests with `node`, and this machine may have none but ours. */
function withOwnNode(env: LaunchOptions['env']): LaunchOptions['env'] {
  return { ...env, PATH: [env['PATH'], dirname(process.execPath)].filter(Boolean).join(delimiter) }
}

/** Nobody watches a script: a recording is played as fast as it goes. */
export const scriptedArgs = ['--unpaced'] as const
