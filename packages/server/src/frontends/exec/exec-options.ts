import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { homeFolder } from '../../home-folder.ts'
import { type Address, readAddress } from '../../serving/address.ts'
import { UsageProblem } from '../../serving/usage-problem.ts'

export interface ExecOptions {
  /** Null: for whoever is at its stdin. */
  readonly listen: Address | null
  readonly tokenFile: string
  /** What a lost client runs goes on for so long; 0: it ends at once. */
  readonly lingerMs: number
}

const lingerMs = 30_000

const flags = {
  listen: { type: 'string' },
  'token-file': { type: 'string' },
  'no-linger': { type: 'boolean' },
} as const

/** Throws `UsageProblem`, whose message is one sentence. */
export function readExecOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): ExecOptions {
  const given = parse(argv)
  // Existing clients say in words what is meant without them.
  const isStdio = given.listen === undefined || given.listen === 'stdio' || given.listen === 'stdio://'
  const listen = isStdio ? null : readAddress(given.listen ?? '')
  if (given['token-file'] !== undefined && listen?.kind !== 'websocket')
    throw new UsageProblem('--token-file needs --listen ws://HOST:PORT.')
  return {
    listen,
    tokenFile: resolve(given['token-file'] ?? join(homeFolder(env), 'exec-server-token')),
    // Over stdio nobody can come back.
    lingerMs: listen === null || given['no-linger'] === true ? 0 : lingerMs,
  }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: false, strict: true }).values
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageProblem(`${sentence?.replace(/\.$/, '')}. parley help exec-server lists what there is.`)
  }
}
