import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { CeilingFlags } from '../engine/limits/ceiling.ts'
import { type Address, readAddress } from './address.ts'
import { readDuration } from './duration.ts'
import { ceilingOptions, readCeiling } from './read-ceiling.ts'
import { UsageProblem } from './usage-problem.ts'

/** How a server is to be reached and how long it stays. */
export interface ServerArguments {
  /** `client`: for whoever is at its stdin; `service`: for whoever comes; `launcher`: starts a service in the background. */
  readonly role: 'client' | 'service' | 'launcher'
  readonly listen: readonly Address[]
  /** Null: the one in the home. */
  readonly tokenFile: string | null
  /** Null: never. */
  readonly idleExitMs: number | null
  /** Where models' words are written down. */
  readonly recordTo: string | null
  /** Recorded text streams at reading pace. */
  readonly paced: boolean
  /** It was started by a launcher that waits for a word. */
  readonly isDaemon: boolean
  readonly ceiling: CeilingFlags
}

const daemonIdleExit = '30m'

const flags = {
  listen: { type: 'string', multiple: true },
  'token-file': { type: 'string' },
  daemon: { type: 'boolean' },
  /** What a launcher starts; not for people. */
  'daemon-process': { type: 'boolean' },
  'idle-exit': { type: 'string' },
  record: { type: 'string' },
  unpaced: { type: 'boolean' },
  ...ceilingOptions,
} as const

/** Throws `UsageProblem`, whose message is one sentence. */
export function readServerArguments(argv: readonly string[]): ServerArguments {
  const given = parse(argv)
  const isDaemon = given['daemon-process'] === true
  const listen = (given.listen ?? []).map(readAddress)
  const isService = isDaemon || given.daemon === true || listen.length > 0
  if (given['idle-exit'] !== undefined && !isService) throw new UsageProblem('--idle-exit needs --daemon or --listen.')
  if (given['token-file'] !== undefined && !listen.some(({ kind }) => kind === 'websocket'))
    throw new UsageProblem('--token-file needs --listen ws://HOST:PORT.')
  const idleExit = given['idle-exit'] ?? (isDaemon ? daemonIdleExit : 'never')
  return {
    role: given.daemon === true ? 'launcher' : isService ? 'service' : 'client',
    listen,
    tokenFile: absolute(given['token-file']),
    idleExitMs: readDuration('--idle-exit', idleExit),
    recordTo: absolute(given.record),
    paced: given.unpaced !== true,
    isDaemon,
    ceiling: readCeiling(given),
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: false, strict: true }).values
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageProblem(`${sentence?.replace(/\.$/, '')}. parley help server lists what there is.`)
  }
}

function absolute(path: string | undefined): string | null {
  return path === undefined ? null : resolve(path)
}
