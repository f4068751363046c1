import { createHash } from 'node:crypto'
import type { Files } from '@parley/journal'
import { type ConversationState, initialState, reduce } from '@parley/protocol'
import { trackCheckpointPlaces } from '../conversation/checkpoint-content.ts'
import { Conversation } from '../conversation/conversation.ts'
import type { Journal } from '../conversation/journal.ts'
import { createSideFiles, type SideFiles } from '../conversation/side-files.ts'
import { createModelView, type ModelView } from '../core/model-view.ts'
import type { Clock } from '../ports/clock-and-ids.ts'
import { TurnLoop } from '../turn/turn-loop.ts'
import type { Recording } from './log/read-recording.ts'
import { createReplayWait, type ReplayWait } from './log/replay-wait.ts'
import { ReplayEndedError, type ReplayedLog } from './log/replayed-log.ts'
import { type Doing, replayRoles } from './replay-roles.ts'
import type { ReplayPorts } from './tools-of-log.ts'

/** Engine of one conversation as one process had it; a replay starts another where the log was taken up again. */
export interface ReplayLife {
  readonly conversation: Conversation
  readonly turns: TurnLoop
  readonly wait: ReplayWait
  readonly doing: Readonly<Doing>
}

interface LifeParts {
  readonly log: ReplayedLog
  readonly recording: Recording
  /** Earlier life, which this one continues; null for the first. */
  readonly before: ReplayLife | null
  readonly onFault: (fault: unknown) => void
}

/** Starts the engine on a state, with ports to the log in place of everything outside. */
export function beginLife(parts: LifeParts, ports: ReplayPorts): ReplayLife {
  const { log, recording, before } = parts
  const wait = createReplayWait()
  const onFault = (fault: unknown) => {
    if (!wait.isAbandoned) parts.onFault(fault)
  }
  const { state, view } = before === null ? created(recording) : wholeState(before.conversation, log)
  const clock = clockOf(log)
  const conversation = new Conversation(
    {
      state,
      view,
      checkpointPlaces: trackCheckpointPlaces(),
      headCrc: null,
      nextSeq: state.core.seq + 1,
      logVersion: Number.MAX_SAFE_INTEGER,
    },
    { journal: replayJournal(log, wait), sideFiles: hashedFiles(ports.files, recording.folder), readOnly: false },
    { clock, redact: (event) => event, program: recording.program, report: onFault, notify: () => undefined },
  )
  const doing: Doing = { runs: new Set(), asksModel: false }
  const roles = replayRoles({ log, wait, doing, conversation, clock, recording }, ports)
  const turns = new TurnLoop(roles, onFault)
  return { conversation, turns, wait, doing }
}

/** Creates a journal that compares the engine's events with the log, and stores nothing. */
function replayJournal(log: ReplayedLog, wait: ReplayWait): Journal {
  return {
    append(lines) {
      // An engine may be in the middle of a step when another process takes the log up.
      if (wait.isAbandoned) throw new ReplayEndedError('The process of the log had ended before.')
      log.take(lines)
      return 0
    },
    held: () => null,
    probe: () => undefined,
    sizeBytes: () => 0,
    synced: () => Promise.resolve(),
    shown: () => null,
    mayAct: () => Promise.resolve(),
    describe: () => undefined,
    stuck: () => null,
    async *linesAfter() {},
    crcOf: () => null,
    assertStored: () => undefined,
    settled: () => undefined,
    close: () => Promise.resolve(),
  }
}

/** Returns the side files of a log. New ones are hashed and not stored. */
function hashedFiles(files: Files, folder: string): SideFiles {
  const stored = createSideFiles(files, folder)
  return {
    folder,
    keep: stored.keep,
    adopt: stored.adopt,
    readText: stored.readText,
    readBase64: stored.readBase64,
    read: stored.read,
    prepare: stored.prepare,
    put: (content) => Promise.resolve(`sha256:${createHash('sha256').update(content).digest('hex')}`),
  }
}

/** Returns the state and view of a new conversation, with the folder and settings of the log's first event. */
function created({ conversationId, events }: Recording): { state: ConversationState; view: ModelView } {
  const { core, window } = initialState(conversationId)
  const first = events[0]?.event
  if (first?.type !== 'conversation.created') return { state: { core, window }, view: createModelView() }
  const { settings, cwd } = first
  return { state: { core: { ...core, meta: { ...core.meta, cwd }, settings }, window }, view: createModelView() }
}

/** Returns the state of an engine with the events of a write that a crash cut. */
function wholeState({ state, view }: Conversation, { cutOff }: ReplayedLog) {
  for (const { event, seq } of cutOff) view.apply(event, { seq, place: 0 })
  return { state: cutOff.reduce(reduce, state), view }
}

/** Returns a clock that stands at the time of the log, so that nothing waits and text is shown as it comes. */
function clockOf(log: ReplayedLog): Clock {
  let elapsedMs = 0
  return {
    now: () => log.next?.at ?? 0,
    elapsed: () => {
      elapsedMs += 1000
      return elapsedMs
    },
    sleep: () => Promise.resolve(),
  }
}
