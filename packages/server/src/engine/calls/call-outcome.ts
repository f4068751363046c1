import { blockNotice, type CheckedPath, explainDecision, type Facts } from '@parley/policy'
import { type CallItem, type ItemOf, type SandboxBlock, withoutOutcome } from '@parley/protocol'
import type { ToolOutcome } from '../../tools/tool.ts'
import { type Attempt, decisionRecord } from './attempt.ts'

/** Returns the item of a call that policy forbids. */
export function deniedItem(item: CallItem, attempt: Attempt): CallItem {
  const modelText = `Not run: ${explainDecision(attempt.decision)}`
  return { ...item, status: 'denied', decision: decisionRecord(attempt), modelText }
}

/** Returns the item of a call that the server rejects as it stands; `problem` is for the model. */
export function rejectedItem(item: CallItem, problem: string): CallItem {
  const failure = { code: 'invalidToolCall', message: problem }
  return { ...item, status: 'failed', modelText: problem, failure }
}

export const concealedProblem =
  'Not run: the user is asked about this, and a part of it that may be more than a word would be kept from them because it looks like a secret. Put the secret into a file or a variable by itself, and name that.'

/** Returns the item of a call whose environment cannot be reached, so that nothing ran. */
export function unreachableItem(item: CallItem, message: string): CallItem {
  const failure = { code: 'environmentUnreachable', message }
  return { ...item, status: 'failed', modelText: `Not run: ${message}`, failure }
}

/** Returns the item of a call that was started and whose outcome is lost. */
export function unknownItem(item: CallItem): CallItem {
  const modelText = 'This was started, but how it ended is unknown. Check before running it again.'
  return { ...item, status: 'unknown', modelText }
}

interface Ended {
  readonly outcome: ToolOutcome
  readonly attempt: Attempt
  readonly durationMs: number
}

/** Returns the item with the outcome of one attempt. */
export function finishedItem(item: CallItem, { outcome, attempt, durationMs }: Ended): CallItem {
  const { status, modelText, failure, fields } = outcome
  const before = item.type === 'commandExecution' ? withoutOutcome(item) : item
  const text = attempt.number === 1 ? modelText : `${modelText}\n${secondRun}`
  const known = { ...before, ...fields, status, modelText: text, attempt: attempt.number, durationMs }
  return failure === undefined ? known : { ...known, failure }
}

const secondRun =
  '(This was its second run, with more rights, which the user allowed. The first one, in the sandbox, failed.)'

/** Accesses that the sandbox blocked, with the facts about their paths. */
export interface FoundBlock {
  readonly block: SandboxBlock
  readonly places: readonly CheckedPath[]
}

/** Returns the item with the block, told to the model; `mayAsk` when the model can ask for more rights. */
export function blockedItem(
  item: ItemOf<'commandExecution'>,
  { block: sandboxBlock, places }: FoundBlock,
  mayAsk: boolean,
): ItemOf<'commandExecution'> {
  const modelText = `${item.modelText ?? ''}\n${blockNotice(sandboxBlock, { mayAsk, checkedPaths: places })}`
  return { ...item, sandboxBlock, modelText }
}

/** Returns the item with the facts its decision rests on. */
export function withFacts(item: CallItem, facts: Facts | null): CallItem {
  return facts === null ? item : { ...item, facts: { ...facts } }
}
