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
import { ceilingForBeginner, ceilingForRequests } from '../limits/ceiling.ts'
import { assertMayLoosen, type Guest, type LimitsRight } from '../limits/may-loosen.ts'
import type { LiveConversation } from '../live/live-conversation.ts'
import type { OpenConversation } from '../load/conversation-parts.ts'
import { forkCleanup, importedEvents } from '../load/fork.ts'
import { machineOfAnother } from '../people/check-right.ts'
import { addedFolders } from '../settings/existing-folder.ts'
import { type GivenLimits, givenLimits } from '../settings/given-limits.ts'
import { type InitialSettings, type NewSettings, newSettings, type StartParams } from '../settings/initial-settings.ts'
import { configOnly, readConfig } from '../settings/read-config.ts'
import { type Resumer as Changer, resumeChanges } from '../settings/resume-changes.ts'
import { type CarriedGrants, createCarriedGrants, keepGrants, readGrants } from '../settings/user-grants.ts'
import { openConversation, type SetupPorts } from './open-conversation.ts'
import { takeEnvironment } from './open-environment.ts'

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

/** Settings with which a conversation opens, and the changes to them: new, resumed or forked. */
interface OpeningSettings {
  /** `most` is the highest sandbox mode that the user may set; null for the server's ceiling. */
  newSettings(params: StartParams, secrets: SecretPaths, most: SandboxMode | null): NewSettings
  /** Keeps the grants of a person to a new conversation beyond the configuration. Called with its first event. */
  keepNew(conversationId: string, params: StartParams, created: InitialSettings): void
  /** Records the changes that the flags of a resume make to a conversation that is open in this process. */
  change(open: LiveConversation, overrides: Overrides, by: Resumer): void
  /**
   * Returns the function that settles a resumed conversation: it adds the changes by its flags, and limits that it lacks.
   * It throws `notPermitted` when its machine does not work for the user.
   */
  resumed(overrides: Overrides, by: Resumer): Settle
  /**
   * Returns the function that settles a fork. `settings` are the settings of an original that is open in this process;
   * else null.
   */
  forked(fromId: string, settings: Settings | null, secrets: SecretPaths): Settle
  /** Returns the function that settles a conversation from a bundle, which works in the existing folder `cwd` under the limits of this home. */
  imported(cwd: string, secrets: SecretPaths): Settle
}

/** Opens conversations with their settings and environments. */
export interface ConversationSetup extends Pick<SetupPorts, 'program' | 'clock' | 'checkpoints' | 'processes'> {
  /** Resolves to the paths of secrets on this machine, with which the settings are checked. */
  secrets(): Promise<SecretPaths>
  readonly settings: OpeningSettings
  readonly carriedGrants: CarriedGrants
  open(opening: OpenConversation): Promise<LiveConversation>
  /** Takes the environment of a recorded conversation; the caller releases it. */
  takeEnvironment(state: ConversationState, owner: Owner | null, overrides?: Overrides): TakenEnvironment
}

/** Returns the events that bring a recorded conversation to the settings and limits of this process. */
export type Settle = (state: ConversationState) => readonly ConversationEvent[]

export function createSetup(ports: SetupPorts): ConversationSetup {
  const { home, environments } = ports
  return {
    program: ports.program,
    clock: ports.clock,
    checkpoints: ports.checkpoints,
    processes: ports.processes,
    secrets: ports.secrets,
    settings: createOpeningSettings(ports),
    takeEnvironment: ({ core }, owner, overrides = {}) =>
      takeEnvironment(core, environments, {
        ...(owner === null ? {} : { owner }),
        environment: core.settings.environment,
        config: readConfig(home, configOnly(overrides)).values,
      }),
    carriedGrants: createCarriedGrants(ports),
    open: (opening) => openConversation(opening, ports),
  }
}

function createOpeningSettings(ports: SetupPorts): OpeningSettings {
  const { home, env, projects, keys, ceiling, ids } = ports
  const newItemId = ids.item
  const changerOf = ({ by, mayLoosen, secrets, rights }: Resumer) => ({
    home,
    newItemId,
    by,
    mayLoosen,
    secrets,
    ceiling: () => ceilingForRequests(ceiling(), rights.maxSandbox),
  })
  const given = (state: ConversationState, overrides: Overrides, fromId: string): GivenLimits =>
    givenLimits(state, { overrides, sealed: readGrants(ports, fromId).writableRoots }, ports)
  return {
    newSettings: (params, secrets, most) =>
      newSettings(params, { home, env, projects, keys, secrets, ceiling: () => ceilingForBeginner(ceiling(), most) }),
    keepNew(conversationId, params, { cwd, settings }) {
      const writableRoots = addedFolders(params, cwd)
      keepGrants(ports, conversationId, { writableRoots, policyFile: settings.policyFile ?? null })
    },
    change({ conversation, roles, mcp }, overrides, by) {
      const { state, started } = conversation
      const how = { ...changerOf(by), given: null }
      const changes = changesOf(state, overrides, { how, unasked: () => [] })
      if (started) {
        updateGrants(ports, state, { fromId: conversation.id, overrides, changes })
        if (changes.length > 0) conversation.recordAll(changes)
      } else conversation.redraft(draftChange(changes))
      roles.act.limits.narrowed(state.core.settings)
      roles.act.limits.recordEnforcement()
      mcp.relimit()
    },
    resumed: (overrides, by) => (state) => {
      const { conversationId } = state.core.meta
      assertMachineServes(by, state, ports)
      const how = { ...changerOf(by), given: given(state, overrides, conversationId) }
      const unasked = () => resumeChanges(state, {}, { ...how, given: given(state, {}, conversationId) })
      const changes = changesOf(state, overrides, { how, unasked })
      updateGrants(ports, state, { fromId: conversationId, overrides, changes })
      return changes
    },
    forked: (fromId, settings, secrets) => (state) => {
      const found = given(state, {}, fromId)
      const limits = settings === null ? found : { ...found, ...settings }
      const changes = resumeChanges(state, {}, { home, ceiling, newItemId, by: parleyItself, secrets, given: limits })
      const cleanup = forkCleanup(state, 'forked')
      updateGrants(ports, state, { fromId, changes })
      return [...cleanup, ...changes]
    },
    imported: (cwd, secrets) => (state) =>
      importedEvents(state, {
        home,
        ceiling,
        newItemId,
        cwd,
        secrets,
        given: (here) => givenLimits(here, { overrides: {}, sealed: [] }, ports),
      }),
  }
}

interface OpeningChanges {
  /** Conversation with the earlier grants: the original of a fork, else this one. */
  readonly fromId: string
  /** Overrides of the caller; their folders are grants. Absent for a fork. */
  readonly overrides?: Overrides
  readonly changes: readonly ConversationEvent[]
}

/** Keeps the folders and rules that people granted, for the next process that resumes the conversation. */
function updateGrants(
  ports: SetupPorts,
  { core }: ConversationState,
  { fromId, overrides, changes }: OpeningChanges,
): void {
  const { meta, settings } = core
  const added = overrides === undefined ? [] : addedFolders(overrides, overrides.cwd ?? meta.cwd)
  const changed = changes.find((event) => event.type === 'conversation.configured')?.settings.writableRoots
  const { writableRoots: earlier, policyFile } = readGrants(ports, fromId)
  const roots = (changed ?? settings.writableRoots).filter((root) => earlier.includes(root) || added.includes(root))
  keepGrants(ports, meta.conversationId, { writableRoots: roots, policyFile })
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

/**
 * Returns the changes by a client's overrides. Throws `notPermitted` when they loosen limits and the client may not.
 */
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

/** Returns the changes of a conversation without a log, which records them with its first event. */
function draftChange(changes: readonly ConversationEvent[]): DraftChange {
  const moved = changes.find((event) => event.type === 'conversation.moved')
  const configured = changes.find((event) => event.type === 'conversation.configured')
  return { settings: configured?.settings ?? {}, ...(moved === undefined ? {} : { cwd: moved.cwd }) }
}
