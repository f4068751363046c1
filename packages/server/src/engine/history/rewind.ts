import { type Decision, decide, explainDecision, gatherPatchFacts } from '@parley/policy'
import type { Actor, ItemOf, ParamsOf, ResultOf, RewindPlan } from '@parley/protocol'
import {
  type ApplyOutcome,
  applyPlan,
  contentHash,
  EnvironmentUnreachableError,
  failureText,
  joinChanges,
  type PlannedRewind,
  planRewind,
  recordChange,
} from '@parley/workspace'
import { rejection } from '../../replies/rejection.ts'
import { clipDiffs } from '../../tools/changes/prepare-change.ts'
import { fileSurroundings } from '../../tools/define-tool.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { type LiveConversation, writable } from '../open/live-conversation.ts'
import { changesSince } from './changes-since.ts'
import { recordChanges } from './record-changes.ts'

type Planning = Omit<ParamsOf<'conversation/rewind/plan'>, 'conversationId'>

interface Prepared extends PlannedRewind {
  readonly shown: RewindPlan
  readonly decision: Decision
}

/** Plans a rewind of files, for people to look at. */
export async function showRewind(open: LiveConversation, params: Planning): Promise<RewindPlan> {
  return (await prepare(writable(open), params)).shown
}

async function prepare(open: LiveConversation, { to, overwrite = false }: Planning): Promise<Prepared> {
  const { conversation, modules } = open
  const { history } = modules
  const { environment, store } = history
  const { cwd } = conversation.state.core.meta
  assertPoint(open, to)
  await environment.reach()
  const { changes, unknown } = await changesSince(conversation, to, environment.patches)
  const planned = await planRewind({ changes: joinChanges(changes), cwd, files: environment.patches, store, overwrite })
  const hash = hashOf(to, planned)
  const { redaction } = modules
  // Clients see what the log will hold; the hash is that of the exact bytes.
  const entries = clipDiffs(planned.plans.map(recordChange)).map((entry) => ({
    ...entry,
    diff: redaction.text(entry.diff),
  }))
  const problem = history.problem()
  const notes = [...(problem === null ? [] : [problem]), ...unknown.map(unknownText)]
  return {
    ...planned,
    shown: { to, hash, changes: entries, left: [...planned.left], notes },
    decision: await judge(open, planned, hash),
  }
}

function assertPoint({ conversation }: LiveConversation, to: number): void {
  const newest = conversation.state.core.seq
  if (to <= newest) return
  throw rejection('itemNotFound', `There is no event ${to}; the newest is ${newest}.`, { newest })
}

function unknownText(title: string): string {
  return `How "${title}" ended is unknown, and so is what it changed.`
}

/** Returns the hash of all that is written, which a yes is bound to. */
function hashOf(to: number, { plans }: PlannedRewind): string {
  const written = plans.map(({ path, before, after, mode, writesLink }) => [
    path.real,
    before?.hash ?? null,
    after?.hash ?? null,
    mode ?? null,
    writesLink ?? false,
  ])
  return `sha256:${contentHash(JSON.stringify([to, written]))}`
}

/** Judges the files as those of a patch. What policy asks about is covered by the yes to the plan. */
async function judge(
  { conversation, modules }: LiveConversation,
  { plans }: PlannedRewind,
  patch: string,
): Promise<Decision> {
  const { settings } = conversation.state.core
  const paths = plans.map(({ path }) => path.real)
  const replaced = plans.filter(({ link, after }) => link === true || after === null)
  const deleted = new Set(replaced.map(({ path }) => path.real))
  const around = await fileSurroundings(modules.history.environment, workspaceOf(conversation.state))
  const facts = await gatherPatchFacts({ tool: 'rewind', paths, deleted, patch }, around)
  const { approvalPolicy, sandbox: sandboxMode, enforcement, network = false } = settings
  const decision = decide(facts, {
    rules: modules.rules,
    sessionGrants: [],
    approvalPolicy,
    sandboxMode,
    enforcement,
    network,
  })
  if (decision.verdict === 'deny') throw rejection('notPermitted', `Not done: ${explainDecision(decision)}`)
  return decision
}

/** Brings files back as planned, while no effect runs. Rejects when anything is not as it was planned. */
export async function rewindFiles(
  open: LiveConversation,
  { hash, ...params }: Omit<ParamsOf<'conversation/rewind'>, 'conversationId'>,
  by: Actor,
): Promise<ResultOf<'conversation/rewind'>> {
  const { conversation, modules } = writable(open)
  assertIdle(open)
  return await modules.history.alone(async (around) => {
    assertIdle(open)
    const prepared = await prepare(writable(open), params)
    if (prepared.shown.hash !== hash) throw rejection('planChanged', changedText)
    if (prepared.plans.length === 0) throw rejection('invalidParams', 'No file would change.')
    assertIdle(open)
    const seq = conversation.state.core.seq
    const item = beginItem(open, prepared, by)
    await conversation.synced()
    const named = prepared.plans.map(({ path }) => path.real)
    const record = recordChanges(open.conversation, open.patience, item.id)
    const ended = await around({ named, run: () => apply(item, prepared, open), record })
    await open.patience.persist(() => conversation.record({ type: 'item.completed', item: ended }))
    return { itemId: item.id, seq, status: ended.status }
  })
}

const changedText =
  'Files or the conversation have changed since the plan was shown. Nothing was changed; look at it again.'

function assertIdle({ conversation }: LiveConversation): void {
  const { turn } = conversation.state.core
  if (turn !== null)
    throw rejection('turnInProgress', 'A turn is open. Interrupt it or let it end, then go back.', { turnId: turn.id })
}

type RewindItem = ItemOf<'fileChange'>

/** Records the item and its start, by which a crash finds out how far it came. */
function beginItem({ conversation, modules }: LiveConversation, { shown, decision }: Prepared, by: Actor): RewindItem {
  const { to, hash, changes } = shown
  const { rule, reason, verdict } = decision
  const count = changes.length === 1 ? '1 file' : `${changes.length} files`
  const item: RewindItem = {
    id: modules.ids.item(),
    type: 'fileChange',
    kind: 'edit',
    status: 'inProgress',
    tool: 'rewind',
    title: `Take back ${count}`,
    text: '',
    changes,
    patchHash: hash,
    decision: { verdict, rule, reason, answer: 'approved', by },
    rewind: { to, from: conversation.state.core.seq, by },
  }
  conversation.recordAll([
    { type: 'item.started', item },
    { type: 'execution.started', itemId: item.id, attempt: 1, decidedBy: { rule, reason }, payloadHash: hash, changes },
  ])
  return item
}

async function apply(item: RewindItem, { plans }: PlannedRewind, { modules }: LiveConversation): Promise<RewindItem> {
  let outcome: ApplyOutcome
  try {
    outcome = await applyPlan({ plans, files: modules.history.environment.patches, tag: item.id })
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    const { message } = error
    return { ...item, status: 'unknown', modelText: message, failure: { code: 'endUnknown', message } }
  }
  if (outcome.applied) return { ...item, status: 'completed', modelText: toldText(item) }
  const text = failureText(outcome.failures, outcome.states)
  const message = text.split('\n', 1)[0] ?? text
  return { ...item, status: 'failed', text, failure: { code: 'patchFailed', message } }
}

/** Returns what the model is told, as a message of the user. */
function toldText({ changes }: RewindItem): string {
  const paths = changes.map(({ path }) => path)
  const shown = paths.slice(0, 50).join('\n')
  const more = paths.length > 50 ? `\nand ${paths.length - 50} more` : ''
  return `I took changes of files back myself, to how they were earlier. Read these again before you rely on them:\n${shown}${more}`
}
