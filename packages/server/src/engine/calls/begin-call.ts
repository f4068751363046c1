import { blockNotice, conceals, honoursRequests, type Retry, retryAfter } from '@parley/policy'
import { type CallItem, type ItemOf, withoutOutcome } from '@parley/protocol'
import { notStarted, type ReadyCall, type ToolOutcome } from '../../tools/tool.ts'
import type { TurnContext } from '../turn/turn-context.ts'
import { approvalFor } from './approval-request.ts'
import { completeCall } from './complete-call.ts'
import { contentHashOf, type DecidedCall } from './decided-call.ts'
import { type FoundBlock, findBlock } from './find-denial.ts'
import { type CallContext, toolContext } from './tool-context.ts'

/** From here on it may have happened: nothing starts before `execution.started` is on disk. */
export async function beginCall(run: TurnContext, ready: ReadyCall, item: CallItem, call: DecidedCall): Promise<void> {
  const { conversation, modules, signal } = run
  const { decision } = item
  if (decision === undefined) return
  const decidedBy =
    decision.approvalId === undefined
      ? { rule: decision.rule, reason: decision.reason }
      : { approvalId: decision.approvalId }
  conversation.record({
    type: 'execution.started',
    itemId: item.id,
    attempt: call.attempt,
    decidedBy,
    payloadHash: contentHashOf(ready, call, conversation.state),
    ...(item.type === 'fileChange' ? { changes: item.changes } : {}),
  })
  if (item.readOnly !== true) await conversation.synced()
  const startedMs = modules.clock.elapsed()
  const context = toolContext(run, item.id, call.limits)
  const outcome = signal.aborted ? notStarted : await ready.run(context.tool)
  context.stop()
  const ended = { item, outcome, context, durationMs: Math.round(modules.clock.elapsed() - startedMs) }
  await settleCall(run, ready, ended, call)
  if (outcome.sandboxBroke === true) await modules.limits.doubt()
}

interface EndedCall {
  readonly item: CallItem
  readonly outcome: ToolOutcome
  readonly context: CallContext
  readonly durationMs: number
}

/** It is complete, or waits for the user to say whether it may run again with more rights. */
async function settleCall(run: TurnContext, ready: ReadyCall, ended: EndedCall, call: DecidedCall): Promise<void> {
  const item = finished(ended, call.attempt)
  if (item.type !== 'commandExecution') return completeCall(run, item)
  const { approvalPolicy } = run.conversation.state.core.settings
  const found = await findBlock(run, item, ended)
  const told = found === null ? item : withBlock(item, found, honoursRequests(approvalPolicy))
  const mayRetry =
    call.attempt === 1 && !run.signal.aborted && !conceals({ ...call, written: null }, run.modules.redaction.secretsIn)
  const retry = mayRetry ? retryAfter(found?.block ?? null, approvalPolicy, call.limits) : null
  if (retry === null) return completeCall(run, told)
  await askAgain(run, ready, told, { ...call, ...retry, attempt: 2 })
}

function finished({ item, outcome, durationMs }: EndedCall, attempt: number): CallItem {
  const { status, modelText, failure, fields } = outcome
  const before = item.type === 'commandExecution' ? withoutOutcome(item) : item
  const text = attempt === 1 ? modelText : `${modelText}\n${secondRun}`
  const known = { ...before, ...fields, status, modelText: text, attempt, durationMs }
  return failure === undefined ? known : { ...known, failure }
}

const secondRun =
  '(This was its second run, with more rights, which the user allowed. The first one, in the sandbox, failed.)'

function withBlock(
  item: ItemOf<'commandExecution'>,
  { block: sandboxBlock, places }: FoundBlock,
  mayAsk: boolean,
): ItemOf<'commandExecution'> {
  const modelText = `${item.modelText ?? ''}\n${blockNotice(sandboxBlock, { mayAsk, checkedPaths: places })}`
  return { ...item, sandboxBlock, modelText }
}

/** In one write, so that the question is there with what it is about. */
async function askAgain(
  run: TurnContext,
  ready: ReadyCall,
  item: ItemOf<'commandExecution'>,
  call: DecidedCall & Retry,
): Promise<void> {
  const { conversation, patience } = run
  const contentHash = contentHashOf(ready, call, conversation.state)
  const approval = approvalFor(run, item, { ...call, contentHash, sessionOffered: false, always: null, question: null })
  await patience.persist(() =>
    conversation.recordAll([
      { type: 'execution.failed', itemId: item.id, attempt: 1, item },
      { type: 'approval.requested', approval },
    ]),
  )
}
