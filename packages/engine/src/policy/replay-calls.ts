import { timeSlices } from '@parley/host'
import { type Files, LogView, sessionPaths } from '@parley/journal'
import {
  type DecideSettings,
  decide,
  type Facts,
  narrowed,
  narrowingBySkills,
  type Rules,
  sandboxLimits,
  sessionAnswers,
  storedFacts,
  trustedRules,
} from '@parley/policy'
import {
  type CallItem,
  type ConversationId,
  type Enforcement,
  type EventOf,
  type ItemId,
  initialState,
  isCall,
  type ParamsOf,
  type ResultOf,
  type Settings,
  settingsInForce,
  type Turn,
} from '@parley/protocol'
import { createLogReader } from '../conversation/journal.ts'
import { createLogFold } from '../conversation/log-fold.ts'
import { findConversation, wantedConversation } from '../read/list-conversations.ts'
import { localCatalogue } from '../read/local-catalogue.ts'
import { noConversation } from '../replies/rejection.ts'
import { grantsUnder, type SessionGrant } from '../session/session-memory.ts'
import { configHere } from '../settings/read-config.ts'
import { enforcementThere } from './judge-command.ts'
import { hookRule } from './narrow-by-hooks.ts'
import { type PolicyPorts, readWantedRules, type WantedRules } from './read-rules.ts'
import { judgementOf } from './test-command.ts'

type Params = ParamsOf<'policy/replay'>
type Replayed = ResultOf<'policy/replay'>['calls'][number]

const maxTitleLength = 200

/**
 * Decides each recorded call again from its stored facts. A setting that `params` leave out keeps its recorded value.
 */
export async function replayCalls(params: Params, ports: PolicyPorts): Promise<ResultOf<'policy/replay'>> {
  const conversationId = await findConversation(localCatalogue(ports.files, ports.home), wantedConversation(params))
  const recorded = await recordedCalls(ports.files, ports.home, conversationId)
  const enforcement = await enforcementNow(params, ports)
  const calls: Replayed[] = []
  const grants: SessionGrant[] = []
  const rulesBy = new Map<string, Rules>()
  for (const call of recorded) {
    const policyFile = params.policyFile ?? call.settings.policyFile
    const key = JSON.stringify([policyFile, call.cwd, call.settings.environment])
    const rules = rulesBy.get(key) ?? (await rulesFor(call, wanted(params, policyFile), ports))
    rulesBy.set(key, rules)
    const replayed = replay(call, settingsOf(call, { params, enforcement, rules, grants }), grants)
    if (replayed !== null) calls.push(replayed)
  }
  return { conversationId, calls, skipped: recorded.length - calls.length }
}

/** Reads the rules for one call. The rules of its project count as trusted now, if the call worked on this machine. */
async function rulesFor({ cwd, settings }: RecordedCall, given: WantedRules, ports: PolicyPorts): Promise<Rules> {
  const rules = await readWantedRules(ports.userRules, given)
  if (settings.environment !== undefined) return rules
  const { project, own } = configHere(cwd, {}, ports)
  return [...rules, ...trustedRules(project, own)]
}

function wanted({ rules, cwd = '/' }: Params, policyFile: string | undefined) {
  return { cwd, rules, policyFile }
}

/** Resolves to the enforcement on this machine for a given sandbox mode; null for the recorded one. */
async function enforcementNow({ sandbox }: Params, { environments }: PolicyPorts): Promise<Enforcement | null> {
  if (sandbox === undefined) return null
  const { environment, release } = environments.take({ environment: undefined, config: {} })
  return enforcementThere(environment, sandbox).finally(release)
}

interface RulesNow {
  readonly params: Params
  readonly enforcement: Enforcement | null
  readonly rules: Rules
  readonly grants: readonly SessionGrant[]
}

function settingsOf({ settings }: RecordedCall, { params, enforcement, rules, grants }: RulesNow): DecideSettings {
  const sandboxMode = params.sandbox ?? settings.sandbox
  return {
    rules,
    sessionGrants: grantsUnder(sandboxMode, grants),
    approvalPolicy: params.approvalPolicy ?? settings.approvalPolicy,
    sandboxMode,
    enforcement: enforcement ?? settings.enforcement,
    network: settings.network === true,
  }
}

/** Decides one call again. A grant for the session applies to the calls after it, as it did then. */
function replay(call: RecordedCall, settings: DecideSettings, grants: SessionGrant[]): Replayed | null {
  const facts = factsOf(call)
  const { item, questions } = call
  const { decision } = item
  if (facts === null || (decision === undefined && questions.length === 0)) return null
  // A hook held it up, and hooks are not run again.
  if (decision?.rule.name.startsWith(hookRule) === true) return null
  const demand = narrowingBySkills(facts, call.skills)
  const after = narrowed(decide(facts, settings), demand, settings.approvalPolicy)
  if (decision?.answer === 'approvedForSession') {
    const answers = sessionAnswers({ facts, limits: sandboxLimits(facts, after.run, settings) })
    const given = answers.at(decision.scope === 'any' ? 1 : 0)
    if (given !== undefined) grants.push({ grant: given.grant, mode: settings.sandboxMode })
  }
  const asked = questions.at(-1)?.asked
  return {
    itemId: item.id,
    tool: item.tool,
    title: item.title.slice(0, maxTitleLength),
    before: {
      verdict: decision?.verdict ?? 'ask',
      rule: decision?.rule ?? asked?.rule ?? { name: 'builtin:ask' },
      ...(decision?.answer === undefined ? {} : { answer: decision.answer }),
    },
    after: judgementOf(after),
  }
}

/** Returns the facts stored with a call: on its item once it has ended, with its question while it waits. */
export function factsOf({ item, questions }: Pick<RecordedCall, 'item' | 'questions'>): Facts | null {
  return storedFacts(item.facts ?? questions.at(-1)?.asked.facts)
}

/** Call of a log, with the settings under which it was decided. */
export interface RecordedCall {
  readonly item: CallItem
  readonly settings: Settings
  /** Working folder of the conversation then. */
  readonly cwd: string
  /** Skills that narrowed the calls of its turn. */
  readonly skills: NonNullable<Turn['skills']>
  /** Questions about it with their answers, oldest first. */
  readonly questions: readonly Question[]
  /** Rule or answer in `execution.started`, as the item holds no decision before it ends. Null before the start. */
  readonly allowedBy: EventOf<'execution.started'>['decidedBy'] | null
  /** Runs of hooks for it, oldest first. */
  readonly hooks: readonly EventOf<'hook.ran'>[]
}

export interface Question {
  readonly asked: EventOf<'approval.requested'>['approval']
  readonly answer: EventOf<'approval.decided'> | null
}

/** Reads every call from a log, oldest first, waiting ones included. Throws `conversationNotFound`. */
export async function recordedCalls(
  files: Files,
  home: string,
  conversationId: ConversationId,
): Promise<readonly RecordedCall[]> {
  const paths = sessionPaths(home, conversationId)
  if (paths === null || files.look(paths.log) === null) throw noConversation(conversationId)
  using view = LogView.open(files, paths.log)
  const fold = createLogFold({ state: initialState(conversationId) }, createLogReader(view.header()))
  const calls = new Map<ItemId, RecordedCall>()
  const questions = new Map<ItemId, Question[]>()
  const hooks = new Map<ItemId, EventOf<'hook.ran'>[]>()
  const begun = new Map<ItemId, EventOf<'execution.started'>['decidedBy']>()
  const note = (item: unknown) => {
    if (!isItem(item) || !isCall(item)) return
    const { id } = item
    const { core } = fold.state
    const { cwd } = core.meta
    const then = { settings: settingsInForce(core), cwd, skills: core.turn?.skills ?? [] }
    const ran = hooks.get(id) ?? []
    hooks.set(id, ran)
    const asked = questions.get(id) ?? []
    calls.set(id, { item, ...then, questions: asked, allowedBy: begun.get(id) ?? null, hooks: ran })
  }
  const slices = timeSlices()
  for (const line of view.lines()) {
    if (slices.isOver()) await slices.next()
    const event = fold.take(line)?.event
    if (event?.type === 'approval.requested') {
      const { itemId } = event.approval
      questions.set(itemId, [...(questions.get(itemId) ?? []), { asked: event.approval, answer: null }])
    } else if (event?.type === 'approval.decided') addAnswer(questions, event)
    else if (event?.type === 'execution.started') begun.set(event.itemId, event.decidedBy)
    else if (event?.type === 'hook.ran') noteHook(hooks, event)
    else if (event?.type === 'item.completed') note(event.item)
  }
  for (const { item } of Object.values(fold.state.core.open)) note(item)
  return [...calls.values()]
}

/** Adds a run of a hook to its call, which may have ended before the run. */
function noteHook(hooks: Map<ItemId, EventOf<'hook.ran'>[]>, event: EventOf<'hook.ran'>): void {
  if (event.itemId === undefined) return
  const known = hooks.get(event.itemId)
  if (known === undefined) hooks.set(event.itemId, [event])
  else known.push(event)
}

function addAnswer(questions: Map<ItemId, Question[]>, event: EventOf<'approval.decided'>): void {
  for (const [itemId, asked] of questions) {
    if (!asked.some((one) => one.asked.id === event.approvalId)) continue
    questions.set(
      itemId,
      asked.map((one) => (one.asked.id === event.approvalId ? { ...one, answer: event } : one)),
    )
  }
}

function isItem(value: unknown): value is CallItem {
  return typeof value === 'object' && value !== null && 'id' in value && 'type' in value
}
