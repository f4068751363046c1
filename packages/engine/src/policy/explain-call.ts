import { type DescribedFact, describeFacts } from '@parley/policy'
import type { DecisionRecord, EventOf, ParamsOf, ResultOf, Settings } from '@parley/protocol'
import { exitWords, secondsText } from '@parley/text'
import { findConversation, wantedConversation } from '../read/list-conversations.ts'
import { localCatalogue } from '../read/local-catalogue.ts'
import { rejection } from '../replies/rejection.ts'
import { hookRule } from './narrow-by-hooks.ts'
import type { PolicyPorts } from './read-rules.ts'
import { factsOf, type Question, type RecordedCall, recordedCalls } from './replay-calls.ts'

const maxTextLength = 2_000

/** Explains from the log why a call was run or not. Rejects with `itemNotFound`. */
export async function explainCall(
  params: ParamsOf<'policy/why'>,
  { files, home }: Pick<PolicyPorts, 'files' | 'home'>,
): Promise<ResultOf<'policy/why'>> {
  const conversationId = await findConversation(localCatalogue(files, home), wantedConversation(params))
  const calls = await recordedCalls(files, home, conversationId)
  const call = chosenCall(calls, params.item ?? '1')
  const { id, tool, title, status } = call.item
  const rows = rowsOf(call).map(({ about, text }) => ({ about, text: clipped(text) }))
  return { conversationId, item: { id, tool, title: clipped(title), status }, rows, calls: calls.length }
}

/** Returns the newest call that matches an id or a part of it, a count of calls back, or a part of a title. */
function chosenCall(calls: readonly RecordedCall[], wanted: string): RecordedCall {
  const newestFirst = calls.toReversed()
  const back = /^\d{1,6}$/.test(wanted) ? newestFirst[Number(wanted) - 1] : undefined
  const found =
    newestFirst.find(({ item }) => item.id === wanted) ??
    back ??
    newestFirst.find(({ item }) => wanted.length >= 4 && item.id.includes(wanted)) ??
    newestFirst.find(({ item }) => wanted.length > 1 && item.title.includes(wanted))
  if (found !== undefined) return found
  if (calls.length === 0) throw rejection('itemNotFound', 'The model has called no tool in this conversation yet.')
  const nearest = newestFirst.slice(0, 5).map(({ item }) => item.id)
  throw rejection(
    'itemNotFound',
    `No call of this conversation fits "${wanted}". Give its id, a part of its title, or how many calls back (1 to ${calls.length}).`,
    { nearest },
  )
}

function rowsOf(call: RecordedCall): readonly DescribedFact[] {
  const { item, questions, settings } = call
  const facts = factsOf(call)
  return [
    { about: 'call', text: `${item.tool}: ${item.text === '' ? item.title : item.text}` },
    ...decisionRows(call),
    ...call.hooks.map(hookRow),
    ...questions.flatMap((question) => questionRows(question, item.status === 'awaitingApproval')),
    { about: 'settings then', text: settingsText(settings) },
    ...(facts === null ? [{ about: 'facts', text: whyNoFacts(call) }] : describeFacts(facts)),
    ...blockedRows(item),
    { about: 'outcome', text: outcomeText(item) },
  ]
}

const verdicts = { allow: 'ran unasked', ask: 'was asked about', deny: 'was denied' } as const

/** Explains missing facts. A call that ran unasked is stored with its facts when it ends. */
function whyNoFacts({ item, allowedBy }: RecordedCall): string {
  if (allowedBy === null) return 'none are stored: the call ended before a decision'
  return item.status === 'inProgress'
    ? 'none are stored yet: that happens when it ends'
    : 'none are stored: the program ended before the call did'
}

function decisionRows({ item, questions, allowedBy }: RecordedCall): readonly DescribedFact[] {
  const asked = questions.at(-1)?.asked
  const decision = item.decision ?? ruleThatAllowed(allowedBy)
  if (decision === undefined && asked === undefined)
    return [{ about: 'decision', text: item.failure?.message ?? 'none is stored' }]
  const { verdict, rule, reason } = decision ?? { verdict: 'ask' as const, rule: asked?.rule, reason: asked?.reason }
  const limits = item.decision?.limits
  return [
    { about: 'decision', text: `${verdicts[verdict]}: ${reason ?? ''}` },
    { about: 'rule', text: ruleText(rule) },
    ...(limits === undefined ? [] : [{ about: 'limits', text: limitsText(limits.sandbox, limits.network) }]),
  ]
}

/** Returns the rule that allowed a call. Undefined after a question, which names its rule itself. */
function ruleThatAllowed(
  allowedBy: RecordedCall['allowedBy'],
): Pick<DecisionRecord, 'verdict' | 'rule' | 'reason'> | undefined {
  if (allowedBy === null || 'approvalId' in allowedBy) return undefined
  return { verdict: 'allow', ...allowedBy }
}

const outcomes = {
  passed: 'let it pass',
  asked: 'had it asked about',
  stopped: 'stopped it',
  failed: 'failed',
  interrupted: 'was interrupted',
} as const

function hookRow({ hook, outcome, reason, rewritten, context, durationMs }: EventOf<'hook.ran'>): DescribedFact {
  const because = reason === undefined ? '' : `: ${reason}`
  const changed = rewritten === undefined ? '' : `; changed it to ${rewritten.arguments}`
  const told = context === undefined ? '' : `; told the model: ${context}`
  const { name, on, source } = hook
  return {
    about: 'hook',
    text: `${name} (${on}, ${source}), ${secondsText(durationMs)}, ${outcomes[outcome]}${because}${changed}${told}`,
  }
}

function ruleText(rule: Question['asked']['rule'] | undefined): string {
  if (rule === undefined) return 'none is stored'
  const { name, file, line } = rule
  if (file === undefined) return name.startsWith(hookRule) ? name : `${name}, which is built in`
  return `${name}, ${file}${line === undefined ? '' : `:${line}`}`
}

const answers: Readonly<Record<string, string>> = {
  approved: 'yes',
  approvedForSession: 'yes, for the conversation',
  approvedAlways: 'yes, and always',
  denied: 'no',
  abort: 'stop',
  withdrawn: 'the question was withdrawn',
}

const isAboutCommand: ReadonlySet<Question['asked']['kind']> = new Set(['command', 'escalation', 'network'])

function questionRows({ asked, answer }: Question, waits: boolean): readonly DescribedFact[] {
  const again = asked.attempt === undefined ? '' : ` (attempt ${asked.attempt})`
  const question = { about: 'asked', text: `${asked.reason}${again}` }
  const limits = isAboutCommand.has(asked.kind)
    ? [{ about: 'would get', text: limitsText(asked.sandbox, asked.network ?? asked.sandbox === 'none') }]
    : []
  if (answer === null)
    return [question, ...limits, { about: 'answer', text: waits ? 'none yet' : 'none: the call ended first' }]
  const who = answer.by.title ?? answer.by.name
  const note = answer.note === undefined ? '' : `, and says: ${answer.note}`
  return [
    question,
    ...limits,
    { about: 'answer', text: `${who}: ${answers[answer.decision] ?? answer.decision}${note}` },
  ]
}

function limitsText(sandbox: string, network: boolean): string {
  if (sandbox === 'none') return 'no sandbox: the rights of the user'
  return `sandbox ${sandbox}, ${network ? 'with network' : 'without network'}`
}

function settingsText({ approvalPolicy, sandbox, enforcement }: Settings): string {
  return `approvals ${approvalPolicy}, sandbox ${sandbox}, enforcement ${enforcement}`
}

function blockedRows(item: RecordedCall['item']): readonly DescribedFact[] {
  if (item.type !== 'commandExecution' || item.sandboxBlock === undefined) return []
  const { paths, network } = item.sandboxBlock
  const what = [...paths, ...(network ? ['the network'] : [])].join(', ')
  return [{ about: 'blocked', text: `the sandbox kept it from ${what}` }]
}

function outcomeText(item: RecordedCall['item']): string {
  const exit =
    item.type === 'commandExecution' && item.exitCode !== undefined && item.exitCode !== null
      ? `, ${exitWords(item.exitCode)}`
      : ''
  const attempt = item.attempt === undefined || item.attempt === 1 ? '' : `, attempt ${item.attempt}`
  const duration = item.durationMs === undefined ? '' : `, ${secondsText(item.durationMs)}`
  return `${item.status}${exit}${attempt}${duration}`
}

function clipped(text: string): string {
  return text.length <= maxTextLength ? text : `${text.slice(0, maxTextLength)} … (${text.length} characters)`
}
