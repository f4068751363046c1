import type { ConversationEvent, Enforcement } from '@parley/protocol'
import type { Environment } from '@parley/workspace'
import type { FileHistory } from '../../history/file-history.ts'
import type { ConversationHooks, HookMoment } from '../../hooks/conversation-hooks.ts'
import type { ConversationLimits } from '../../limits/conversation-limits.ts'
import type { ToolPorts } from '../../tools/contract/define-tool.ts'
import { eventsFrom } from '../log/read-recording.ts'
import type { ReplayWait } from '../log/replay-wait.ts'
import type { ReplayPosition } from '../log/replayed-log.ts'

const startsNothing = (): never => {
  throw new Error('A replay starts nothing.')
}
const nothing = async (): Promise<never> => startsNothing()

/** Background processes of a replay: an empty list that rejects each start. */
export const noBackground: ToolPorts['background'] = {
  start: startsNothing,
  adopt: startsNothing,
  list: () => [],
  read: () => null,
  output: () => null,
  listen: () => null,
  ended: () => null,
  input: () => null,
  stop: nothing,
  stopAll: nothing,
}

/** Creates a history that reads and changes no file: the log holds the recorded changes. */
export function noHistory(environment: Environment): FileHistory {
  return {
    environment,
    get store(): never {
      throw new Error('A replay keeps no contents of files.')
    },
    names: { written: (change) => change, exact: (path) => Promise.resolve(path) },
    problem: () => null,
    bring: async () => undefined,
    begin: () => undefined,
    around: ({ run }) => run(),
    alone: (run) => run(({ run: effect }) => effect()),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Creates hooks that start no program: their results come from the log, and the engine waits for them. */
export function replayedHooks(log: ReplayPosition, wait: ReplayWait): ConversationHooks {
  const isNext = ({ on }: HookMoment) => {
    const event = log.next?.event
    if (event?.type === 'hooks.started') return event.on === on
    return (event?.type === 'hook.ran' || event?.type === 'hook.running') && event.hook.on === on
  }
  const comesFor = ({ on, itemId }: HookMoment) => {
    for (const event of eventsFrom(log)) {
      if (event.type === 'hook.ran' && event.hook.on === on && event.itemId === itemId) return true
      if (event.type === 'item.completed' && event.item.id === itemId) return false
    }
    return false
  }
  const has = (moment: HookMoment) => (moment.on === 'PreToolUse' ? comesFor(moment) : isNext(moment))
  return {
    begun: false,
    begin: () => (isNext({ on: 'SessionStart', subject: '' }) ? { on: 'SessionStart', subject: '' } : null),
    hasBegun: () => undefined,
    has,
    started: () => [],
    takeLeft: () => [],
    async *run(moment, _input, signal) {
      await wait.until(() => (has(moment) ? null : true), signal)
    },
  }
}

/** Creates limits that start no process: the recorded enforcement comes from the log. */
export function replayedLimits(log: ReplayPosition): ConversationLimits {
  return {
    reason: null,
    localHome: null,
    standingOf: () => Promise.resolve([]),
    enforcementFor: () => enforcementOf(log.next?.event),
    readReport: () => Promise.resolve(),
    recordEnforcement: () => undefined,
    narrowed: () => undefined,
    whenNarrowed: () => () => undefined,
    recheck: () => Promise.resolve(),
    describe: () => Promise.resolve(null),
    prepare: nothing,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

/** Returns the enforcement at the start of a turn; `none` unless the turn is a review. */
function enforcementOf(event: ConversationEvent | undefined): Enforcement {
  return (event?.type === 'turn.started' ? event.enforcement : undefined) ?? 'none'
}
