import { imageLimitsOf } from '@parley/models'
import type { ItemId } from '@parley/protocol'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { createRequestSource } from '../context/request-source.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import type { ActRole, ModelRole, PeopleRole, Roles } from '../roles/roles.ts'
import { createSessionMemory } from '../session/session-memory.ts'
import type { Tool } from '../tools/contract/tool.ts'
import { itemIdOf } from './log/compare-events.ts'
import { givenEventsAt, stopAt, turnEndAfter } from './log/outside-events.ts'
import { eventsFrom, type Recording } from './log/read-recording.ts'
import type { ReplayWait } from './log/replay-wait.ts'
import { idsWhile, type ReplayedLog } from './log/replayed-log.ts'
import { noHistory, replayedHooks, replayedLimits } from './ports/inert-ports.ts'
import { createReplayedModel, replayedRetry } from './ports/replayed-model.ts'
import { redactionOf } from './ports/replayed-redaction.ts'
import { rulesOf } from './ports/replayed-rules.ts'
import { replayedTool } from './ports/replayed-tools.ts'
import { type ReplayPorts, toolsByFile, toolsThen } from './tools-of-log.ts'

/** State of an engine in the middle of a step, which no event shows. */
export interface Doing {
  /** Calls that run. */
  readonly runs: Set<ItemId>
  /** True while the next request to the model has its messages and waits for its place. */
  asksModel: boolean
}

interface ReplayParts {
  readonly log: ReplayedLog
  readonly recording: Recording
  readonly wait: ReplayWait
  readonly doing: Doing
  readonly conversation: Conversation
  readonly clock: Clock
}

/** Builds the roles of a replay: the model and the tools are those of the log. */
export function replayRoles(parts: ReplayParts, ports: ReplayPorts): Roles {
  const { log, wait, conversation, clock, recording } = parts
  const redaction = redactionOf(recording, ports.home)
  const ids = idsWhile(log.ids, wait)
  const settingsBefore = conversation.state.core.settings
  const tools = toolsThen({ recording, redaction, clock }, ports)
  const model = replayedModelRole(parts, tools)
  return {
    record: { conversation, storage: conversation.storageRetry, clock, ids, redaction, settingsBefore },
    model,
    act: replayedActRole({ parts, model, tools }, ports),
    people: replayedPeople(log),
  }
}

/** Returns the model of a replay, which answers as the log has it. */
function replayedModelRole(parts: ReplayParts, tools: readonly Tool[]): ModelRole {
  const { log, wait, conversation, clock, recording } = parts
  const isOurs = () => log.next !== undefined && givenEventsAt(recording, log.at, conversation.state) === 0
  const source = createReplayedModel(log, { wait, isOurs, sideFiles: conversation.sideFiles })
  const current = () => {
    const { client, limits, factsOf, maxOutputOf } = source
    const { model: name, modelProvider } = choiceOf(conversation)
    const choice = { model: name, modelProvider }
    return { client, limits, factsOf, maxOutputOf, choice, facts: factsOf(name), maxOutputTokens: undefined }
  }
  const gather = () => Promise.resolve(noContext)
  const { next, hash } = createRequestSource({ conversation, tools, offered: async () => [], model: current, gather })
  const prepare = (signal: AbortSignal) => placeOfRequest(parts, signal)
  return {
    current,
    knowsProvider: () => true,
    gather,
    requests: { next, hash, forget: () => undefined, warmUp: () => undefined, prepare },
    retry: replayedRetry({ log, recording, clock }),
    // Compactions come from the log: whether one is due depends on settings that no log holds.
    compaction: { limit: Infinity, percent: Infinity, model: null, prompt: null },
    budget: {},
  }
}

interface ActParts {
  readonly parts: ReplayParts
  readonly model: ModelRole
  readonly tools: readonly Tool[]
}

/** Returns the tools of a replay with the outcomes of the log, and limits, history and hooks that do nothing. */
function replayedActRole({ parts, model, tools: own }: ActParts, ports: ReplayPorts): ActRole {
  const { log, wait, doing, conversation } = parts
  let examined: ItemId | null = null
  const state = () => conversation.state
  const onRun = (itemId: ItemId) => {
    doing.runs.add(itemId)
    log.touch()
  }
  const replayed = { log, wait, state, examined: () => examined, onRun }
  const known = toolsByFile(conversation, own, (tool) => replayedTool(tool, replayed))
  const { grants, exactCalls, questions, foreground, runningOn, isFirstNotice } = createSessionMemory(new Map())
  return {
    get tools() {
      return known()
    },
    imageLimits: () => imageLimitsOf(model.current().client),
    project: { isRead: true, problem: null, read: () => Promise.resolve() },
    limits: replayedLimits(log),
    history: noHistory(ports.tools.environment),
    hooks: replayedHooks(log, wait),
    memory: {
      // Asked for right before a call is examined: tools get arguments only, and equal calls have different outcomes.
      exactCalls: {
        keep: exactCalls.keep,
        find(itemId) {
          examined = itemId
          return exactCalls.find(itemId)
        },
      },
      grants: { give: grants.give, under: (mode) => (usesGrant(log, examined) ? grants.under(mode) : []) },
      questions,
      foreground,
      runningOn,
      isFirstNotice,
    },
  }
}

/** Returns the people of a replay: the clients that the log asked. They raise no limit. */
function replayedPeople(log: ReplayedLog): PeopleRole {
  const rules = rulesOf(log)
  return {
    answerers: () => nextQuestion(log)?.answerableBy ?? [],
    mayAsk: () => true,
    mayRaiseLimit: () => false,
    sharedBy: null,
    get rules() {
      return rules()
    },
    userRules: userRulesOf(log),
    // The forms of the log are taken as they are.
    ceiling: () => ({ sandbox: 'read-only' }),
  }
}

/** The context of each request comes from the log. */
const noContext = { instructions: '', sessionContext: '', instructionFiles: [], warnings: [], skills: [] }

/** Returns the user's rules of a replay: none, in the file that the next question names. */
function userRulesOf(log: ReplayedLog): PeopleRole['userRules'] {
  return {
    get file() {
      return nextQuestion(log)?.always?.file ?? ''
    },
    rules: [],
    read: () => Promise.reject(new Error('A replay reads no policy file.')),
    add: () => ({ problem: 'A replay adds no rule.' }),
  }
}

/** Waits until the log has the next request to the model, and records the context before it. */
async function placeOfRequest(
  { log, wait, doing, conversation, recording }: ReplayParts,
  signal: AbortSignal,
): Promise<void> {
  doing.asksModel = true
  log.touch()
  await wait.until(() => {
    if (log.next?.event.type === 'context.set') giveContext(log, conversation)
    return asksModel(log, recording, conversation) ? true : null
  }, signal)
  doing.asksModel = false
}

/** Records the context of the log: its instructions and tools come from the disk and the program of then. */
function giveContext(log: ReplayedLog, conversation: Conversation): void {
  const event = log.next?.event
  if (event !== undefined) log.give(() => conversation.record(event))
}

/** Tells if the engine's own events come next; throws where the environment could not be reached then. */
function asksModel(log: ReplayedLog, recording: Recording, { state }: Conversation): boolean {
  const { at, next } = log
  if (next === undefined) return false
  const end = turnEndAfter(recording, at)?.event
  if (end?.type === 'turn.ended' && end.failure?.code === 'environmentUnreachable')
    throw new EnvironmentUnreachableError(end.failure.message)
  return (
    next.event.type !== 'context.set' && givenEventsAt(recording, at, state) === 0 && stopAt(recording, at) === null
  )
}

/** Returns the next question of the engine; the outcome of a first run may come before it. */
function nextQuestion(log: ReplayedLog) {
  const [next, second] = eventsFrom(log)
  return [next, second].find((event) => event?.type === 'approval.requested')?.approval ?? null
}

function choiceOf({ state }: Conversation) {
  return state.core.turn?.fallback ?? state.core.settings
}

/** Tells if the log says that an answer for the session decided this call. Answers end with a process, which no log shows. */
function usesGrant(log: ReplayedLog, itemId: ItemId | null): boolean {
  for (const event of eventsFrom(log)) {
    if (itemIdOf(event) !== itemId) continue
    if (event.type === 'execution.started')
      return 'rule' in event.decidedBy && event.decidedBy.rule.name === 'builtin:session-grant'
    if (event.type === 'approval.requested' || event.type === 'item.completed') return false
  }
  return false
}
