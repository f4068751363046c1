import { type Decision, decide, explainDecision, gatherPatchFacts } from '@parley/policy'
import type { Actor, FileChangeEntry, ItemOf } from '@parley/protocol'
import {
  type ApplyOutcome,
  type ApplyRequest,
  applyPlan,
  contentHash,
  EnvironmentUnreachableError,
  failureText,
  recordChange,
} from '@parley/workspace'
import { recordChanges } from '../history/record-changes.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import { type LiveConversation, writable } from '../live/live-conversation.ts'
import { rejection } from '../replies/rejection.ts'
import { clipDiffs } from '../tools/changes/prepare-change.ts'
import { fileSurroundings } from '../tools/contract/define-tool.ts'

type Plans = ApplyRequest['plans']

/** Change of files by a user, as it was planned and shown. */
export interface PlannedChange {
  readonly plans: Plans
  /** Hash of all that is written, which a yes is bound to. */
  readonly hash: string
  /** Files with their diffs, as the log will hold them. */
  readonly changes: readonly FileChangeEntry[]
  readonly decision: Decision
}

interface Planning {
  /** Name of the change for policy and people. */
  readonly tool: string
  readonly plans: Plans
  /** Text or number that the yes is bound to, too. */
  readonly subject: string | number
}

/** Judges planned files as files of a patch, and shows them so. The yes to the plan covers the question of policy. */
export async function planUserChange(
  open: LiveConversation,
  { tool, plans, subject }: Planning,
): Promise<PlannedChange> {
  const hash = hashOf(subject, plans)
  const { redaction } = open.roles.record
  const changes = clipDiffs(plans.map(recordChange)).map((entry) => ({
    ...entry,
    path: redaction.text(entry.path),
    diff: redaction.text(entry.diff),
  }))
  return { plans, hash, changes, decision: await judge(open, { tool, plans, patch: hash }) }
}

function hashOf(subject: string | number, plans: Plans): string {
  const written = plans.map(({ path, before, after, mode, writesLink }) => [
    path.real,
    before?.hash ?? null,
    after?.hash ?? null,
    mode ?? null,
    writesLink ?? false,
  ])
  return `sha256:${contentHash(JSON.stringify([subject, written]))}`
}

async function judge(
  { conversation, roles }: LiveConversation,
  { tool, plans, patch }: { readonly tool: string; readonly plans: Plans; readonly patch: string },
): Promise<Decision> {
  const { settings } = conversation.state.core
  const paths = plans.map(({ path }) => path.real)
  const replaced = plans.filter(({ link, after }) => link === true || after === null)
  const deleted = new Set(replaced.map(({ path }) => path.real))
  const around = await fileSurroundings(roles.act.history.environment, workspaceOf(conversation.state))
  const facts = await gatherPatchFacts({ tool, paths, deleted, patch }, around)
  const { approvalPolicy, sandbox: sandboxMode, enforcement, network = false } = settings
  const decision = decide(facts, {
    rules: roles.people.rules,
    sessionGrants: [],
    approvalPolicy,
    sandboxMode,
    enforcement,
    network,
  })
  if (decision.verdict === 'deny') throw rejection('notPermitted', `Not done: ${explainDecision(decision)}`)
  return decision
}

type ChangeItem = ItemOf<'fileChange'>

interface UserChange {
  /** Hash that the user has seen. */
  readonly hash: string
  readonly by: Actor
  readonly plan: () => Promise<PlannedChange>
  /** Title, tool and kind of the item. */
  readonly about: (planned: PlannedChange) => Pick<ChangeItem, 'tool' | 'title' | 'text' | 'rewind' | 'remembered'>
  /** Returns the text for the model, as a message of the user. */
  readonly told: (item: ChangeItem) => string
}

/** Changes files as planned, while no effect runs. Rejects when anything is not as it was planned. */
export async function makeUserChange(open: LiveConversation, change: UserChange) {
  const { conversation, roles } = writable(open)
  assertIdle(open)
  return await roles.act.history.alone(async (around) => {
    assertIdle(open)
    const planned = await change.plan()
    if (planned.hash !== change.hash) throw rejection('planChanged', changedText)
    if (planned.plans.length === 0) throw rejection('invalidParams', 'No file would change.')
    assertIdle(open)
    const seq = conversation.state.core.seq
    const item = beginItem(open, planned, change)
    await conversation.synced()
    const named = planned.plans.map(({ path }) => path.real)
    const record = recordChanges(roles, item.id)
    const run = () => apply(item, { planned, open, told: change.told })
    const ended = await around({ named, run, record })
    await conversation.storageRetry.persist(() => conversation.record({ type: 'item.completed', item: ended }))
    return { itemId: item.id, seq, status: ended.status }
  })
}

const changedText =
  'Files or the conversation have changed since the plan was shown. Nothing was changed; look at it again.'

function assertIdle({ conversation }: LiveConversation): void {
  const { turn } = conversation.state.core
  if (turn !== null)
    throw rejection('turnInProgress', 'A turn is open. Interrupt it or let it end first.', { turnId: turn.id })
}

/** Records the item and its start, so that recovery after a crash knows how far it came. */
function beginItem(
  { conversation, roles }: LiveConversation,
  planned: PlannedChange,
  { about, by }: UserChange,
): ChangeItem {
  const { hash, changes } = planned
  const { rule, reason, verdict } = planned.decision
  const item: ChangeItem = {
    id: roles.record.ids.item(),
    type: 'fileChange',
    kind: 'edit',
    status: 'inProgress',
    ...about(planned),
    changes: [...changes],
    patchHash: hash,
    decision: { verdict, rule, reason, answer: 'approved', by },
  }
  conversation.recordAll([
    { type: 'item.started', item },
    {
      type: 'execution.started',
      itemId: item.id,
      attempt: 1,
      decidedBy: { rule, reason },
      payloadHash: hash,
      changes: item.changes,
    },
  ])
  return item
}

interface Applying {
  readonly planned: PlannedChange
  readonly open: LiveConversation
  readonly told: UserChange['told']
}

async function apply(item: ChangeItem, { planned, open, told }: Applying): Promise<ChangeItem> {
  let outcome: ApplyOutcome
  try {
    const files = open.roles.act.history.environment.patches
    outcome = await applyPlan({ plans: planned.plans, files, tag: item.id })
  } catch (error) {
    if (!(error instanceof EnvironmentUnreachableError)) throw error
    const { message } = error
    return { ...item, status: 'unknown', modelText: message, failure: { code: 'endUnknown', message } }
  }
  if (outcome.applied) return { ...item, status: 'completed', modelText: told(item) }
  const text = failureText(outcome.failures, outcome.states)
  const message = text.split('\n', 1)[0] ?? text
  return { ...item, status: 'failed', text, failure: { code: 'patchFailed', message } }
}
