import type { Files } from '@parley/journal'
import type { ItemId } from '@parley/protocol'
import { createRedaction, type Redaction } from '@parley/redaction'
import { EnvironmentUnreachableError } from '@parley/workspace'
import { createRequestSource } from '../context/request-source.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import { createForegroundCalls } from '../session/foreground-calls.ts'
import { createSessionMemory } from '../session/session-memory.ts'
import type { ToolPorts } from '../tools/define-tool.ts'
import { mcpSpecsIn, mcpTool } from '../tools/mcp/mcp-tool.ts'
import { resourceTools } from '../tools/mcp/resource-tools.ts'
import { createTools } from '../tools/registry.ts'
import { noSkills } from '../tools/skills/skill-source.ts'
import type { Tool } from '../tools/tool.ts'
import type { TurnModules } from '../turn/turn-context.ts'
import { itemIdOf } from './compare-events.ts'
import { givenEventsAt, stopAt, turnEndAfter } from './given-events.ts'
import type { LiveTools } from './live/live-tools.ts'
import { noBackground, noHistory } from './ports/nothing-starts.ts'
import { replayedHooks } from './ports/replayed-hooks.ts'
import { replayedLimits } from './ports/replayed-limits.ts'
import { createReplayedModel, failingAsThen } from './ports/replayed-model.ts'
import { rulesOf } from './ports/replayed-rules.ts'
import { replayedTool } from './ports/replayed-tools.ts'
import { eventsFrom, type Recording } from './read-recording.ts'
import type { ReplayWait } from './replay-wait.ts'
import { idsWhile, type ReplayedLog } from './replayed-log.ts'

export interface ReplayPorts {
  readonly files: Files
  readonly home: string
  /** Ports that tools understand calls with; a replay reads no file and starts nothing with them. */
  readonly tools: Pick<ToolPorts, 'environment' | 'shellParser'>
  /** Runs calls for real besides; absent for none. */
  readonly live?: LiveTools
}

/** State of an engine in the middle of a step, which no event shows. */
export interface Doing {
  /** Calls that run. */
  readonly runs: Set<ItemId>
  /** True while the next request to the model has its messages and waits for its place. */
  asksModel: boolean
}

interface ModuleParts {
  readonly log: ReplayedLog
  readonly recording: Recording
  readonly wait: ReplayWait
  readonly doing: Doing
  readonly conversation: Conversation
  readonly clock: Clock
}

/** Ceiling of a replay: the forms of the log are taken as they are. */
const unused = { sandbox: 'read-only' } as const

/** Builds what the turns of a replay use: everything outside the engine is taken from the log. */
export function replayModules(
  { log, wait, doing, conversation, clock, recording }: ModuleParts,
  ports: ReplayPorts,
): TurnModules {
  const isOurs = () => log.next !== undefined && givenEventsAt(recording, log.at, conversation.state) === 0
  const source = createReplayedModel(log, { wait, isOurs, sideFiles: conversation.sideFiles })
  const redaction = redactionOf(recording, ports.home)
  const memory = createSessionMemory()
  let examined: ItemId | null = null
  const parts = {
    log,
    wait,
    state: () => conversation.state,
    examined: () => examined,
    runs: doing.runs,
    live: ports.live ?? null,
  }
  const own = toolsThen(createTools(toolPorts({ recording, redaction, clock }, ports)), recording)
  const known = toolsByFile(conversation, own, (tool) => replayedTool(tool, parts))
  const rules = rulesOf(log)
  const model = () => {
    const { model: name, modelProvider } = choiceOf(conversation)
    const { client, limits, factsOf, maxOutputOf } = source
    const choice = { model: name, modelProvider }
    return { client, limits, factsOf, maxOutputOf, choice, facts: factsOf(name), maxOutputTokens: undefined }
  }
  const prepare = (signal: AbortSignal) => placeOfRequest({ log, wait, doing, conversation, recording }, signal)
  const gather = () => Promise.resolve(noContext)
  const requests = createRequestSource({ conversation, tools: own, offered: async () => [], model, gather })
  return {
    clock,
    ids: idsWhile(log.ids, wait),
    random: () => 0,
    ...{ project: noProject, runningOn: new Map() },
    settingsBefore: conversation.state.core.settings,
    redaction,
    memory: {
      ...memory,
      // Asked for right before a call is examined: tools get arguments only, and equal calls have different outcomes.
      exactCall(itemId) {
        examined = itemId
        return memory.exactCall(itemId)
      },
      grantsUnder: (mode) => (usesGrant(log, examined) ? memory.grantsUnder(mode) : []),
    },
    get tools() {
      return known()
    },
    get rules() {
      return rules()
    },
    userRules: userRulesOf(log),
    limits: replayedLimits(log),
    history: noHistory(ports.tools.environment),
    hooks: replayedHooks(parts),
    foreground: createForegroundCalls(),
    model,
    knowsProvider: () => true,
    gather,
    requests: { next: requests.next, hash: requests.hash, forget: () => undefined, warmUp: () => undefined, prepare },
    // Compactions come from the log: whether one is due depends on settings that no log holds.
    compaction: { limit: Infinity, percent: Infinity, model: null, prompt: null },
    budget: {},
    get fallbacks() {
      return fallbacksAt(log)
    },
    ...failingAsThen({ log, recording, clock }),
    answerers: () => nextQuestion(log)?.answerableBy ?? [],
    mayAsk: () => true,
    mayRaiseLimit: () => false,
    sharedBy: null,
    ceiling: () => unused,
  }
}

/** The context of each request comes from the log. */
const noContext = { instructions: '', sessionContext: '', instructionFiles: [], warnings: [], skills: [] }

const noProject = { isRead: true, problem: null, read: () => Promise.resolve() }

/** Returns the user's rules of a replay: none, in the file that the next question names. */
function userRulesOf(log: ReplayedLog): TurnModules['userRules'] {
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
  { log, wait, doing, conversation, recording }: Omit<ModuleParts, 'clock'>,
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

/** Returns the models that took over in this turn, and the one that takes over next. */
function fallbacksAt({ events, at }: ReplayedLog) {
  const begun = events.findLastIndex(({ event }, index) => index < at && event.type === 'turn.started')
  return events
    .slice(begun + 1, at + 1)
    .flatMap(({ event }) =>
      event.type === 'model.fellBack' ? [{ model: event.model, provider: event.modelProvider }] : [],
    )
}

/** Returns a function to the tools that a call may name: our own, and those that the log says were offered. */
function toolsByFile(conversation: Conversation, own: readonly Tool[], replayed: (tool: Tool) => Tool) {
  const ownTools = own.map(replayed)
  let known: { readonly file: string | undefined; readonly tools: readonly Tool[] } = { file: '', tools: [] }
  return () => {
    const file = conversation.state.core.context?.tools
    if (file === known.file) return known.tools
    const text = file === undefined ? null : conversation.sideFiles.readText(file)
    const offered = resourceTools([]).filter(({ name }) => text?.includes(`"name":"${name}"`) === true)
    const foreign = [...offered, ...mcpSpecsIn(text).map((spec) => mcpTool(spec, []))]
    known = { file, tools: [...ownTools, ...foreign.map(replayed)] }
    return known.tools
  }
}

/** Returns the tools that there were then, where a rejected call names them. */
function toolsThen(tools: readonly Tool[], { events }: Recording): readonly Tool[] {
  for (const { event } of events) {
    if (event.type !== 'item.completed' || event.item.type !== 'toolCall') continue
    const named = /^There is no tool .* (?:The tools are|All of them): (.+)\.$/s.exec(event.item.modelText ?? '')?.[1]
    if (named !== undefined) return tools.filter(({ name }) => named.split(', ').includes(name))
  }
  return tools
}

/** Returns a redaction that finds again what was hidden: the log holds marks in place of the secrets. */
function redactionOf({ events }: Recording, home: string): Redaction {
  const unrestorable = new Set<string>()
  const hidden = new Set<string>()
  for (const { event } of events) {
    if (event.type === 'item.started' && 'restorable' in event.item) unrestorable.add(event.item.id)
    if (event.type !== 'model.responded') continue
    for (const call of event.calls) if (unrestorable.has(call.itemId)) hidden.add(call.arguments)
  }
  const redaction = createRedaction({ home, env: {} })
  return {
    ...redaction,
    text: (text) => text,
    hasSecret: (text) => hidden.has(text),
    secretsIn: () => new Map(),
    seal: () => replaySeal,
  }
}

/** Seal of every yes in a replay: no log holds the key of the one in it. */
export const replaySeal = 'replay'

function toolPorts(
  { recording, redaction, clock }: { recording: Recording; redaction: Redaction; clock: Clock },
  { tools }: ReplayPorts,
): ToolPorts {
  return {
    skills: noSkills,
    editors: undefined,
    environment: { ...tools.environment, shell: shellOf(recording) ?? tools.environment.shell },
    background: noBackground,
    tellPrinted: () => undefined,
    shellParser: tools.shellParser,
    envRules: {},
    redaction,
    clock,
  }
}

/** Returns the shell of the machine where the log was written. */
function shellOf({ events }: Recording): string | undefined {
  for (const { event } of events)
    if (event.type === 'item.started' && event.item.type === 'commandExecution') return event.item.command[0]
  return undefined
}
