import type { ApprovalRequest } from './schema/approval.ts'
import type { CallHint, SandboxBlock } from './schema/call-parts.ts'
import type { ConversationEvent } from './schema/event.ts'
import type { CallItem, Item, ItemOf } from './schema/item.ts'

/**
 * Returns an event with the fields that earlier programs wrote as sentences only; the same event where nothing is
 * missing. This file alone reads sentences of parley.
 *
 * `upgradeEvent` has no step for it: the digest of a conversation covers its items as they are in the log.
 */
export function withRecordedFacts(event: ConversationEvent): ConversationEvent {
  switch (event.type) {
    case 'approval.requested': {
      const approval = approvalWithFacts(event.approval)
      return approval === event.approval ? event : { ...event, approval }
    }
    case 'item.completed':
    case 'execution.failed': {
      const item = itemWithFacts(event.item)
      return item === event.item ? event : { ...event, item }
    }
    default:
      return event
  }
}

function itemWithFacts(item: Item): Item {
  switch (item.type) {
    case 'notice':
      return noticeWithFacts(item)
    case 'commandExecution':
      return blockWithFacts(callWithFacts(item))
    case 'toolCall':
      return toolCallWithFacts(callWithFacts(item))
    case 'fileChange':
      return callWithFacts(item)
    default:
      return item
  }
}

function noticeWithFacts(item: ItemOf<'notice'>): ItemOf<'notice'> {
  const { code, title } = item
  if (code === 'interrupted' && item.why === undefined && title !== 'Interrupted') return { ...item, why: title }
  if (code !== 'ruleAdded' || item.rule !== undefined) return item
  const [, file, line] = /^From now on allowed, .* \((\/.+):(\d+)\)\.$/s.exec(title) ?? []
  return file === undefined ? item : { ...item, rule: { file, line: Number(line) } }
}

function callWithFacts<Call extends CallItem>(item: Call): Call {
  const hints = hintsOf(item)
  const known = hints.length === 0 || item.hints !== undefined ? item : { ...item, hints: [...hints] }
  return item.notRun === undefined && isUnstarted(item) ? { ...known, notRun: true as const } : known
}

function isUnstarted({ status, failure, modelText = '' }: CallItem): boolean {
  const isCut = failure?.code === 'environmentUnreachable' || failure?.code === 'sandboxFailed'
  return (status === 'interrupted' || isCut) && /^Not (?:run|sent|written): /.test(modelText)
}

interface KnownSentence {
  readonly about: CallHint['about']
  readonly start: string
}

/** Beginnings of the sentences at the end of a result, from the last one. */
const sentences: readonly KnownSentence[] = [
  { about: 'repetition', start: '(This was the same call ' },
  { about: 'hookChange', start: '(A hook changed this call; what counts is now: ' },
  { about: 'deniedRetry', start: '(Not run again with more rights: ' },
  { about: 'deniedRetry', start: '(The user denied running it again with more rights' },
  { about: 'sandboxBlock', start: '(The sandbox: ' },
  { about: 'secondRun', start: '(This was its second run, with more rights, which the user allowed.' },
]

/** Returns the sentences that parley added to the result of a call. */
export function hintsOf(item: CallItem): readonly CallHint[] {
  if (item.hints !== undefined) return item.hints
  const hints: CallHint[] = []
  let rest = item.modelText ?? ''
  for (const { about, start } of sentences) {
    if (!rest.endsWith(')')) break
    const at = mayHave(item, about) ? rest.lastIndexOf(`\n${start}`) : -1
    if (at < 0) continue
    hints.unshift({ about, text: rest.slice(at + 1) })
    rest = rest.slice(0, at)
  }
  return hints
}

function mayHave(item: CallItem, about: CallHint['about']): boolean {
  if (about === 'secondRun') return item.attempt === 2
  if (about !== 'sandboxBlock' && about !== 'deniedRetry') return true
  return item.type === 'commandExecution' && item.sandboxBlock !== undefined
}

function blockWithFacts(item: ItemOf<'commandExecution'>): ItemOf<'commandExecution'> {
  const { sandboxBlock: block, modelText = '' } = item
  if (block === undefined || block.hidden !== undefined || block.unmakeable !== undefined) return item
  const hidden = pathsIn(block, /it hides (.*?), where secrets are kept/s.exec(modelText)?.[1])
  const unmakeable = pathsIn(block, /that keeps it from (.*?)(?:; |\.[ )])/s.exec(modelText)?.[1])
  if (hidden.length + unmakeable.length === 0) return item
  const facts = {
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(unmakeable.length === 0 ? {} : { unmakeable }),
  }
  return { ...item, sandboxBlock: { ...block, ...facts } }
}

function pathsIn({ paths }: SandboxBlock, list = ''): string[] {
  const named = list.split(', ')
  return paths.filter((path) => named.includes(path))
}

function toolCallWithFacts(item: ItemOf<'toolCall'>): ItemOf<'toolCall'> {
  if (item.knownTools !== undefined || item.failure?.code !== 'invalidToolCall') return item
  const names = /^There is no tool .* (?:The tools are|All of them): (.+)\.$/s.exec(item.modelText ?? '')?.[1]
  return names === undefined ? item : { ...item, knownTools: names.split(', ') }
}

const reasonsToAskAgain = [
  ['planChanged', 'what it would do has changed since the yes'],
  ['foreignAnswer', 'the yes comes from a log that another home or program wrote'],
  ['modeNotInForce', 'the mode that the answer chose is not in force'],
] as const

function approvalWithFacts(approval: ApprovalRequest): ApprovalRequest {
  if (approval.askedAgain !== undefined) return approval
  const [askedAgain] = reasonsToAskAgain.find(([, start]) => approval.reason.startsWith(`${start}; `)) ?? []
  return askedAgain === undefined ? approval : { ...approval, askedAgain }
}
