import { resolve } from 'node:path'
import type { Actor, ConversationEvent, ConversationState, Overrides, Settings } from '@parley/protocol'
import type { TakenEnvironment } from '@parley/workspace'
import { parleyItself } from '../conversation/notices.ts'
import { type GivenLimits, givenLimits, keepGift, readGift } from '../settings/given-limits.ts'
import { type InitialSettings, initialSettings, type StartParams } from '../settings/initial-settings.ts'
import { configOnly, readConfig } from '../settings/read-config.ts'
import { resumeChanges } from '../settings/resume-changes.ts'
import type { OpenParts } from './conversation-parts.ts'
import { takeEnvironment } from './enter-environment.ts'
import { forkCleanup } from './fork.ts'
import type { LiveConversation } from './live-conversation.ts'
import { openConversation, type SetupPorts } from './open-conversation.ts'

/** Settings and changes with which a conversation opens: new, resumed or forked. */
export interface ConversationSetup {
  readonly program: string
  initialSettings(params: StartParams): InitialSettings
  /** Keeps what a person gave a new conversation beyond the configuration. Called with its first event. */
  keepNew(conversationId: string, params: StartParams, created: InitialSettings): void
  /**
   * Returns the events by which the flags of a resume change what was recorded. `isOpen` is true for a conversation that
   * is open in this process, whose settings are no mere record.
   */
  resumeChanges(resumed: Resumed, overrides: Overrides, by: Actor): readonly ConversationEvent[]
  /** Returns the events that close what was open at the point of a fork. `from` is the original. */
  forkCleanup(state: ConversationState, from: ForkOrigin): readonly ConversationEvent[]
  open(parts: OpenParts): Promise<LiveConversation>
  /** Takes the environment of a recorded conversation; the caller releases it. */
  takeEnvironment(state: ConversationState, overrides?: Overrides): TakenEnvironment
}

interface Resumed {
  readonly state: ConversationState
  readonly isOpen: boolean
}

/** Conversation that was forked; its settings where it is open in this process. */
export interface ForkOrigin {
  readonly id: string
  readonly settings: Settings | null
}

export function createSetup(ports: SetupPorts): ConversationSetup {
  const { home, ceiling, ids, places } = ports
  const resumer = { home, ceiling, newItemId: ids.item }
  const given = (state: ConversationState, overrides: Overrides, from: ForkOrigin): GivenLimits => {
    const sealed = readGift(ports, from.id).writableRoots
    const found = givenLimits(state, { overrides, sealed }, ports)
    return from.settings === null ? found : { ...found, ...from.settings }
  }
  /** Keeps the folders and rules that people gave, for the next process that resumes it. */
  const keeping = (
    { core }: ConversationState,
    { fromId, added }: { fromId: string; added: readonly string[] },
    events: readonly ConversationEvent[],
  ) => {
    const { meta, settings } = core
    const changed = events.find((event) => event.type === 'conversation.configured')?.settings.writableRoots
    const { writableRoots: earlier, policyFile } = readGift(ports, fromId)
    const roots = (changed ?? settings.writableRoots).filter((root) => earlier.includes(root) || added.includes(root))
    keepGift(ports, meta.conversationId, { writableRoots: roots, policyFile })
    return events
  }
  return {
    program: ports.program,
    initialSettings: (params) => initialSettings(params, ports),
    keepNew(conversationId, { addDirs = [] }, { cwd, settings }) {
      const writableRoots = addDirs.map((folder) => resolve(cwd, folder))
      keepGift(ports, conversationId, { writableRoots, policyFile: settings.policyFile ?? null })
    },
    resumeChanges({ state, isOpen }, overrides, by) {
      const { conversationId } = state.core.meta
      const limits = isOpen ? null : given(state, overrides, { id: conversationId, settings: null })
      const cwd = overrides.cwd ?? state.core.meta.cwd
      const added = (overrides.addDirs ?? []).map((folder) => resolve(cwd, folder))
      const changes = resumeChanges(state, overrides, { ...resumer, by, given: limits })
      return keeping(state, { fromId: conversationId, added }, changes)
    },
    forkCleanup(state, from) {
      const limits = given(state, {}, from)
      const changes = resumeChanges(state, {}, { ...resumer, by: parleyItself, given: limits })
      return [...forkCleanup(state), ...keeping(state, { fromId: from.id, added: [] }, changes)]
    },
    takeEnvironment: ({ core }, overrides = {}) =>
      takeEnvironment(core, places, {
        environment: core.settings.environment,
        config: readConfig(home, configOnly(overrides)).values,
      }),
    open: (parts) => openConversation(parts, ports),
  }
}
