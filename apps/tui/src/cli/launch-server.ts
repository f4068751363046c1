import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SpawnedServer, spawnServer } from '@parley/client'
import type { Program } from '../main.ts'

export type LaunchedServer = SpawnedServer

interface LaunchOptions {
  readonly program: Program
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Arguments of the server itself, such as `--record FILE`. */
  readonly args: readonly string[]
}

/** The server that was built with this program, in a process of its own. */
export function launchServer({ program, home, env, args }: LaunchOptions): LaunchedServer {
  const server = join(dirname(fileURLToPath(program.moduleUrl)), 'server.mjs')
  return spawnServer({ command: [process.execPath, server, ...args], env, home })
}

const withoutServer = new Set(['server', 'completion', 'help', '--help', '-h', '--version', '-V'])

/** A guess from the words alone, made before the command line is parsed; a wrong guess costs a process that leaves again. */
export function expectsServer(argv: readonly string[]): boolean {
  return !argv.some((word) => withoutServer.has(word) || word === '--record')
}
