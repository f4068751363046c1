import type {
  Actor,
  ConversationEvent,
  ConversationState,
  Overrides,
  PermissionSettings,
  Rights,
  SandboxMode,
  Settings,
} from '@parley/protocol'
import type { Owner, SecretPaths, TakenEnvironment } from '@parley/workspace'
import type { DraftChange } from '../conversation/conversation.ts'
import { parleyItself } from '../conversation/notices.ts'
import { askedBy, begunBy } from '../limits/ceiling.ts'
import { assertMayLoosen, type Guest, type LimitsRight } from '../limits/may-loosen.ts'
import { machineOfAnother } from '../people/check-right.ts'
import { type CarriedGifts, createCarriedGifts } from '../settings/carried-gift.ts'
import { addedFolders } from '../settings/existing-folder.ts'
import { type GivenLimits, givenLimits, keepGift, readGift } from '../settings/given-limits.ts'
import { type InitialSettings, type NewSettings, newSettings, type StartParams } from '../settings/initial-settings.ts'
import { configOnly, readConfig } from '../settings/read-config.ts'
import { type Resumer as Changer, resumeChanges } from '../settings/resume-changes.ts'
import type { OpenParts } from './conversation-parts.ts'
import { takeEnvironment } from './enter-environment.ts'
import { forkCleanup, importedEvents } from './fork.ts'
import type { LiveConversation } from './live-conversation.ts'
import { openConversation, type SetupPorts } from './open-conversation.ts'

/** Client that resumes a conversation, and the places of secrets that it may not name. */
interface Resumer extends LimitsRight {
  readonly by: Actor
  readonly secrets: SecretPaths
  readonly rights: Rights
}

/** Returns the client that resumes, with the places of secrets as they are now. */
export async function resumerOf(
  { actor: by, mayLoosen, rights }: Guest,
  { secrets }: Pick<ConversationSetup, 'secrets'>,
): Promise<Resumer> {
  return { by, mayLoosen, rights, secrets: await secrets() }
}

/** Settings and changes with which a conversation opens: new, resumed or forked. */
export interface ConversationSetup extends Pick<SetupPorts, 'program' | 'clock' | 'checkpoints' | 'processes'> {
  /** Resolves to the places of secrets on this machine, which the settings below are checked with. */
  secrets(): Promise<SecretPaths>
  /** `most` is the most that the user may set; null for what the server allows. */
  newSettings(params: StartParams, secrets: SecretPaths, most: SandboxMode | null): NewSettings
  /** Keeps what a person gave a new conversation beyond the configuration. Called with its first event. */
  keepNew(conversationId: string, params: StartParams, created: InitialSettings): void
  /** Records the changes that the flags of a resume make to a conversation that is open in this process. */
  change(open: LiveConversation, overrides: Overrides, by: Resumer): void
  /**
   * Returns what settles a recorded conversation that is resumed: the changes by its flags, and of limits that it lacks.
   * It throws `notPermitted` where the machine that it works on does not work for the user.
   */
  resumed(overrides: Overrides, by: Resumer): Settle
  /** Returns what settles a fork. `settings` are those of an original that is open in this process; else null. */
  forked(fromId: string, settings: Settings | null, secrets: SecretPaths): Settle
  /** Returns what settles a conversation from a bundle, which works in the existing folder `cwd` under the limits of this home. */
  imported(cwd: string, secrets: SecretPaths): Settle
  readonly gifts: CarriedGifts
  open(parts: OpenParts): Promise<LiveConversation>
  /** Takes the environment of a recorded conversation; the caller releases it. */
  takeEnvironment(state: ConversationState, owner: Owner | null, overrides?: Overrides): TakenEnvironment
}

/** Returns the events that bring a recorded conversation to what holds in this process. */
export type Settle = (state: ConversationState) => readonly ConversationEvent[]

export function createSetup(ports: SetupPorts): ConversationSetup {
  const { home, ceiling, ids, environments } = ports
  const around = { home, ceiling, newItemId: ids.item }
  const askingOf = (by: Resumer) => ({ ...around, ...by, ceiling: () => askedBy(ceiling(), by.rights.maxSandbox) })
  const given = (state: ConversationState, overrides: Overrides, fromId: string): GivenLimits =>
    givenLimits(state, { overrides, sealed: readGift(ports, fromId).writableRoots }, ports)
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
  const keepingAdded = (state: ConversationState, overrides: Overrides, changes: readonly ConversationEvent[]) => {
    const { conversationId: fromId, cwd: recorded } = state.core.meta
    return keeping(state, { fromId, added: addedFolders(overrides, overrides.cwd ?? recorded) }, changes)
  }
  return {
    ...{ program: ports.program, clock: ports.clock, checkpoints: ports.checkpoints },
    processes: ports.processes,
    secrets: ports.secrets,
    newSettings: (params, secrets, most) =>
      newSettings(params, { ...ports, secrets, ceiling: () => begunBy(ceiling(), most) }),
    keepNew(conversationId, params, { cwd, settings }) {
      const writableRoots = addedFolders(params, cwd)
      keepGift(ports, conversationId, { writableRoots, policyFile: settings.policyFile ?? null })
    },
    change({ conversation, roles, mcp }, overrides, by) {
      const { core } = conversation.state
      const how = { ...askingOf(by), given: null }
      const changes = changesOf(conversation.state, overrides, { how, unasked: () => [] })
      if (conversation.started) {
        keepingAdded(conversation.state, overrides, changes)
        if (changes.length > 0) conversation.recordAll(changes)
      } else conversation.redraft(draftChange(changes))
      roles.act.limits.narrowed(core.settings)
      roles.act.limits.recordEnforcement()
      mcp.relimit()
    },
    resumed: (overrides, by) => (state) => {
      const { conversationId } = state.core.meta
      assertMachineServes(by, state, ports)
      const how = { ...askingOf(by), given: given(state, overrides, conversationId) }
      const unasked = () => resumeChanges(state, {}, { ...how, given: given(state, {}, conversationId) })
      return keepingAdded(state, overrides, changesOf(state, overrides, { how, unasked }))
    },
    forked: (fromId, settings, secrets) => (state) => {
      const found = given(state, {}, fromId)
      const limits = settings === null ? found : { ...found, ...settings }
      const changes = resumeChanges(state, {}, { ...around, by: parleyItself, secrets, given: limits })
      return [...forkCleanup(state, 'forked'), ...keeping(state, { fromId, added: [] }, changes)]
    },
    imported: (cwd, secrets) => (state) =>
      importedEvents(state, {
        ...around,
        cwd,
        secrets,
        given: (here) => givenLimits(here, { overrides: {}, sealed: [] }, ports),
      }),
    takeEnvironment: ({ core }, owner, overrides = {}) =>
      takeEnvironment(core, environments, {
        ...(owner === null ? {} : { owner }),
        environment: core.settings.environment,
        config: readConfig(home, configOnly(overrides)).values,
      }),
    gifts: createCarriedGifts(ports),
    open: (parts) => openConversation(parts, ports),
  }
}

/** Throws where the machine of a conversation does not work for the user: opening starts hooks and tool servers there. */
function assertMachineServes(
  { rights: { person } }: Resumer,
  { core: { settings } }: ConversationState,
  { environments, home }: SetupPorts,
): void {
  const works = { environment: settings.environment, config: readConfig(home, {}).values }
  if (person.kind === 'user' && environments.refuses(works, person.name))
    throw machineOfAnother(' Resume it with `readOnly`.')
}

interface ChangeTerms {
  readonly how: Changer & LimitsRight
  /** Returns what changes without the overrides. */
  readonly unasked: () => readonly ConversationEvent[]
}

/** Returns what a client's overrides change. Throws `notPermitted` where they loosen limits and the client may not. */
function changesOf(state: ConversationState, overrides: Overrides, { how, unasked }: ChangeTerms) {
  const changes = resumeChanges(state, overrides, how)
  if (!how.mayLoosen) assertMayLoosen(how, limitsAfter(state, changes), limitsAfter(state, unasked()))
  return changes
}

/** Returns the limits that hold after changes. */
function limitsAfter({ core }: ConversationState, changes: readonly ConversationEvent[]): PermissionSettings {
  const configured = changes.find((event) => event.type === 'conversation.configured')
  return { ...core.settings, ...configured?.settings }
}

/** Returns what the changes are for a conversation that has no log yet, which records them with its first event. */
function draftChange(changes: readonly ConversationEvent[]): DraftChange {
  const moved = changes.find((event) => event.type === 'conversation.moved')
  const configured = changes.find((event) => event.type === 'conversation.configured')
  return { settings: configured?.settings ?? {}, ...(moved === undefined ? {} : { cwd: moved.cwd }) }
}
