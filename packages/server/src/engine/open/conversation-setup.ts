import type { Actor, ConversationEvent, ConversationState, Overrides } from '@parley/protocol'
import type { TakenEnvironment } from '@parley/workspace'
import { parleyItself } from '../conversation/notices.ts'
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
  /** Returns the events by which the flags of a resume change what was recorded. */
  resumeChanges(state: ConversationState, overrides: Overrides, by: Actor): readonly ConversationEvent[]
  /** Returns the events that close what was open at the point of a fork. */
  forkCleanup(state: ConversationState): readonly ConversationEvent[]
  open(parts: OpenParts): Promise<LiveConversation>
  /** Takes the environment of a recorded conversation; the caller releases it. */
  takeEnvironment(state: ConversationState, overrides?: Overrides): TakenEnvironment
}

export function createSetup(ports: SetupPorts): ConversationSetup {
  const { home, ceiling, ids, places } = ports
  const changes: ConversationSetup['resumeChanges'] = (state, overrides, by) =>
    resumeChanges(state, overrides, { by, home, ceiling, newItemId: ids.item })
  return {
    program: ports.program,
    initialSettings: (params) => initialSettings(params, ports),
    resumeChanges: changes,
    forkCleanup: (state) => [...forkCleanup(state), ...changes(state, {}, parleyItself)],
    takeEnvironment: ({ core }, overrides = {}) =>
      takeEnvironment(core, places, {
        environment: core.settings.environment,
        config: readConfig(home, configOnly(overrides)).values,
      }),
    open: (parts) => openConversation(parts, ports),
  }
}
