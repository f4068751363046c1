import type { CopyWay } from '@parley/engine'
import { parseWords, UsageError } from '@parley/serving/flags'
import { readStore } from '../shared-store.ts'

/** Command line of `store`. */
export interface StoreArguments {
  readonly task: 'verify' | 'copy'
  /** Way of a copy; conversations that are verified are looked for on both sides. */
  readonly way: CopyWay | null
  /** Servers of the store; null for the store of the configuration. */
  readonly servers: readonly string[] | null
  /** Ids or parts of them; null for all conversations. */
  readonly wanted: readonly string[] | null
  readonly isDryRun: boolean
  readonly json: boolean
}

const storeFlags = {
  to: { type: 'string' },
  from: { type: 'string' },
  store: { type: 'string' },
  all: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  json: { type: 'boolean' },
} as const

/** Reads the command line. Throws `UsageError` with a message of one sentence. */
export function readStoreArguments(argv: readonly string[]): StoreArguments {
  const { values, positionals } = parseWords('store', argv, { options: storeFlags, allowPositionals: true })
  const { to, from, store, all, json } = values
  const [task, ...ids] = positionals
  if (task !== 'copy' && task !== 'verify')
    throw new UsageError(`It takes copy or verify, not ${JSON.stringify(task ?? '')}: parley help store.`)
  if (task === 'copy' && (to === undefined) === (from === undefined))
    throw new UsageError('copy takes one of --to nats://HOST:PORT and --from nats://HOST:PORT.')
  if (task === 'copy' && store !== undefined) throw new UsageError('--store is for verify; copy takes --to or --from.')
  if (task === 'verify' && (to ?? from ?? values['dry-run']) !== undefined)
    throw new UsageError('verify changes nothing and takes --store nats://HOST:PORT, not the flags of copy.')
  if ((all === true) === ids.length > 0)
    throw new UsageError('Name the conversations by their ids, or take --all of them.')
  const url = to ?? from ?? store
  return {
    task,
    way: task === 'verify' ? null : to === undefined ? 'from' : 'to',
    servers: url === undefined ? null : readStore(url),
    wanted: all === true ? null : ids,
    isDryRun: values['dry-run'] === true,
    json: json === true,
  }
}
