import { asRejection, type Copies, createCopies } from '@parley/engine'
import { findId, nodeFiles } from '@parley/journal'
import { type ConversationId, shortIdOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { UsageError } from '@parley/serving/flags'
import { homeFolder, makeHomePrivate } from '@parley/serving/home-folder'
import { openSharedStore, shortWait, warningsOf } from '../shared-store.ts'
import { readStoreArguments, type StoreArguments } from './store-arguments.ts'
import { lineOf, type Outcome, outcomeOfCopy, outcomeOfVerify, summaryOf } from './store-report.ts'

/** Exit codes that all commands share: docs/scripting.md. */
const exitCodes = { ok: 0, notFound: 5, storage: 9, differs: 11 } as const

/** Runs `parley store` for a process. A reader of stdout that leaves does not end a copy. */
export function startStore(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  return runStore(argv, process.env, process.stdout)
}

/** Runs `parley store copy` and `parley store verify`. Resolves with the exit code; rejects with `UsageError`. */
export async function runStore(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  output: { write(text: string): unknown },
): Promise<number> {
  const args = readStoreArguments(argv)
  const home = homeFolder(env)
  makeHomePrivate(home)
  const opened = await openSharedStore(args.servers, {
    home,
    files: nodeFiles,
    warn: warningsOf('store'),
    wait: shortWait('store'),
  })
  if ('problem' in opened) {
    process.stderr.write(`parley store: ${opened.problem}\n`)
    return exitCodes.storage
  }
  await using store = opened.store
  if (store === null) throw new UsageError('Name the store: --store nats://HOST:PORT, or [store] in config.toml.')
  const copies = createCopies({ store, files: nodeFiles, home, program: 'parley store' })
  const found = await idsOf(copies, args)
  if ('problem' in found) {
    process.stderr.write(`parley store: ${found.problem}\n`)
    return exitCodes.notFound
  }
  const outcomes: Outcome[] = []
  for (const conversationId of found.ids) {
    const outcome = await outcomeFor(conversationId, copies, args)
    outcomes.push(outcome)
    output.write(args.json ? `${JSON.stringify(outcome)}\n` : lineOf(outcome))
  }
  if (!args.json) output.write(summaryOf(outcomes))
  return outcomes.some(({ result }) => result === 'refused' || result === 'differs') ? exitCodes.differs : exitCodes.ok
}

/** Does the task for one conversation. Its failure does not stop the others. */
async function outcomeFor(
  conversationId: ConversationId,
  copies: Copies,
  { way, isDryRun }: StoreArguments,
): Promise<Outcome> {
  try {
    if (way === null) return outcomeOfVerify(conversationId, await copies.compare(conversationId))
    const copied = await (isDryRun ? copies.plan(conversationId, way) : copies.copy(conversationId, way))
    return outcomeOfCopy(conversationId, copied, isDryRun)
  } catch (error) {
    const rejected = asRejection(error)
    if (!(rejected instanceof RpcError)) throw error
    return { conversationId, result: 'refused', detail: rejected.message, compared: null }
  }
}

/** Finds the conversations that the command line names. */
async function idsOf(
  copies: Copies,
  { way, wanted }: StoreArguments,
): Promise<{ readonly ids: readonly ConversationId[] } | { readonly problem: string }> {
  const sides = way === null ? (['to', 'from'] as const) : [way]
  const known = [...new Set((await Promise.all(sides.map((side) => copies.ids(side)))).flat())].sort()
  if (wanted === null) return { ids: known }
  const ids: ConversationId[] = []
  for (const text of wanted) {
    const found = findId(known, text)
    if (found.kind === 'one') ids.push(found.id)
    else return { problem: problemOf(text, found) }
  }
  return { ids }
}

function problemOf(text: string, found: Exclude<ReturnType<typeof findId>, { readonly kind: 'one' }>): string {
  if (found.kind === 'many')
    return `"${text}" fits ${found.ids.length} conversations: ${found.ids.slice(0, 5).map(shortIdOf).join(', ')}. Give more of the id.`
  const nearest = found.nearest.map(shortIdOf).join(', ')
  return `There is no conversation "${text}" to copy or compare.${nearest === '' ? '' : ` Nearest: ${nearest}.`}`
}
