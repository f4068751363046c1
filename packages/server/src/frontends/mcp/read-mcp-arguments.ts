import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { CeilingFlags } from '../../engine/limits/ceiling.ts'
import { readDuration } from '../../serving/duration.ts'
import { ceilingOptions, readCeiling } from '../../serving/read-ceiling.ts'
import { UsageProblem } from '../../serving/usage-problem.ts'

export interface McpArguments {
  /** Null: the client is at stdin and stdout. */
  readonly listen: { readonly host: string; readonly port: number } | null
  /** Null: the one in the home. */
  readonly tokenFile: string | null
  /** How long a client may take to answer an approval. */
  readonly approvalTimeoutMs: number
  readonly ceiling: CeilingFlags
}

const flags = {
  listen: { type: 'string' },
  'token-file': { type: 'string' },
  'approval-timeout': { type: 'string' },
  ...ceilingOptions,
} as const

const defaultTimeout = '30m'
/** What a timer can count: as good as never. */
const longestMs = 2 ** 31 - 1

/** Throws `UsageProblem`, whose message is one sentence. */
export function readMcpArguments(argv: readonly string[]): McpArguments {
  const given = parse(argv)
  if (given['token-file'] !== undefined && given.listen === undefined) {
    throw new UsageProblem('--token-file needs --listen http://HOST:PORT.')
  }
  const timeoutMs = readDuration('--approval-timeout', given['approval-timeout'] ?? defaultTimeout)
  return {
    listen: given.listen === undefined ? null : readListen(given.listen),
    tokenFile: given['token-file'] === undefined ? null : resolve(given['token-file']),
    approvalTimeoutMs: timeoutMs ?? longestMs,
    ceiling: { ...readCeiling(given), program: 'mcp-server' },
  }
}

function readListen(text: string): { host: string; port: number } {
  const [, host, digits] = /^http:\/\/(\[[0-9a-f:.]+\]|[^/:]+):(\d{1,5})(?:\/|\/mcp)?$/i.exec(text) ?? []
  const port = Number(digits)
  if (host === undefined || !(port <= 65_535)) {
    throw new UsageProblem(`--listen takes http://HOST:PORT, not ${JSON.stringify(text)}.`)
  }
  return { host: host.replace(/^\[|\]$/g, ''), port }
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: false, strict: true }).values
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split('. ') : []
    throw new UsageProblem(`${sentence?.replace(/\.$/, '')}. parley help mcp-server lists what there is.`)
  }
}
