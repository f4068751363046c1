import { resolve } from 'node:path'
import { type Config, secretsOfConfig } from '@parley/config'
import type { Files } from '@parley/journal'
import { type McpServers, mcpSettings } from '@parley/mcp-client'
import {
  type Projects,
  type ShellParser,
  serverSandboxPolicies,
  trustedRules,
  trustNotice,
  type UserRules,
} from '@parley/policy'
import type {
  Actor,
  ConversationEvent,
  ConversationId,
  ConversationState,
  Overrides,
  ServerNotice,
  Settings,
} from '@parley/protocol'
import { type Redaction, redactEvent } from '@parley/redaction'
import type { Environment, Environments, SecretPaths, TakenEnvironment } from '@parley/workspace'
import type { Clock, Ids } from '../../ports/clock-and-ids.ts'
import { type ConversationMcp, createConversationMcp } from '../context/conversation-mcp.ts'
import { Conversation, type ConversationParts } from '../conversation/conversation.ts'
import { linkNotice, parleyItself } from '../conversation/notices.ts'
import { redactSideFiles } from '../conversation/side-files.ts'
import { createStoragePatience, reportOnce } from '../conversation/storage-patience.ts'
import { createFileHistory } from '../history/file-history.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import { openLimits } from '../limits/conversation-limits.ts'
import type { ProviderKeys } from '../login/provider-keys.ts'
import { readGivenRules, writableRules } from '../policy/read-rules.ts'
import { createParticipants, type Participants } from '../session/participants.ts'
import { type GivenLimits, givenLimits, keepGift, readGift } from '../settings/given-limits.ts'
import { type InitialSettings, initialSettings, type StartParams } from '../settings/initial-settings.ts'
import { fallbacksOf, type ModelSources } from '../settings/model-sources.ts'
import { type ConfigHere, configHere, configOnly, envRulesOf, readConfig } from '../settings/read-config.ts'
import { resumeChanges } from '../settings/resume-changes.ts'
import { createTurnModules } from '../turn/turn-context.ts'
import { TurnLoop } from '../turn/turn-loop.ts'
import { createShellRunner } from '../turn/user-shell.ts'
import type { OpenParts } from './conversation-parts.ts'
import { enterEnvironment, takeEnvironment } from './enter-environment.ts'
import { forkCleanup } from './fork.ts'
import { closeConversation, isBusy, type LiveConversation } from './live-conversation.ts'

/** Client that resumes a conversation, and the places of secrets that it may not name. */
interface Resumer {
  readonly by: Actor
  readonly secrets: SecretPaths
}

/** Settings and changes with which a conversation opens: new, resumed or forked. */
export interface ConversationSetup {
  readonly program: string
  /** Resolves to the places of secrets on this machine, which the settings below are checked with. */
  secrets(): Promise<SecretPaths>
  initialSettings(params: StartParams, secrets: SecretPaths): InitialSettings
  /** Keeps what a person gave a new conversation beyond the configuration. Called with its first event. */
  keepNew(conversationId: string, params: StartParams, created: InitialSettings): void
  /** Records the changes that the flags of a resume make to a conversation that is open in this process. */
  change(open: LiveConversation, overrides: Overrides, by: Resumer): void
  /** Returns what settles a recorded conversation that is resumed: the changes by its flags, and of limits that it lacks. */
  resumed(overrides: Overrides, by: Resumer): Settle
  /** Returns what settles a fork. `settings` are those of an original that is open in this process; else null. */
  forked(fromId: string, settings: Settings | null, secrets: SecretPaths): Settle
  open(parts: OpenParts): Promise<LiveConversation>
  /** Takes the environment of a recorded conversation; the caller releases it. */
  takeEnvironment(state: ConversationState, overrides?: Overrides): TakenEnvironment
}

/** Returns the events that bring a recorded conversation to what holds in this process. */
export type Settle = (state: ConversationState) => readonly ConversationEvent[]

export function createSetup(ports: SetupPorts): ConversationSetup {
  const { home, ceiling, ids, environments } = ports
  const around = { home, ceiling, newItemId: ids.item }
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
  const changesBy =
    (overrides: Overrides, how: Parameters<typeof resumeChanges>[2]): Settle =>
    (state) => {
      const { conversationId: fromId, cwd: recorded } = state.core.meta
      const added = (overrides.addDirs ?? []).map((folder) => resolve(overrides.cwd ?? recorded, folder))
      return keeping(state, { fromId, added }, resumeChanges(state, overrides, how))
    }
  return {
    program: ports.program,
    secrets: ports.secrets,
    initialSettings: (params, secrets) => initialSettings(params, { ...ports, secrets }),
    keepNew(conversationId, { addDirs = [] }, { cwd, settings }) {
      const writableRoots = addDirs.map((folder) => resolve(cwd, folder))
      keepGift(ports, conversationId, { writableRoots, policyFile: settings.policyFile ?? null })
    },
    change({ conversation, modules, mcp }, overrides, by) {
      const { core } = conversation.state
      const changes = changesBy(overrides, { ...around, ...by, given: null })(conversation.state)
      if (changes.length > 0) conversation.recordAll(changes)
      modules.limits.narrowed(core.settings)
      mcp.relimit()
    },
    resumed: (overrides, by) => (state) => {
      const limits = given(state, overrides, state.core.meta.conversationId)
      return changesBy(overrides, { ...around, ...by, given: limits })(state)
    },
    forked: (fromId, settings, secrets) => (state) => {
      const found = given(state, {}, fromId)
      const limits = settings === null ? found : { ...found, ...settings }
      const changes = resumeChanges(state, {}, { ...around, by: parleyItself, secrets, given: limits })
      return [...forkCleanup(state), ...keeping(state, { fromId, added: [] }, changes)]
    },
    takeEnvironment: ({ core }, overrides = {}) =>
      takeEnvironment(core, environments, {
        environment: core.settings.environment,
        config: readConfig(home, configOnly(overrides)).values,
      }),
    open: (parts) => openConversation(parts, ports),
  }
}

/** Ports of the server that conversations are opened with. */
export interface SetupPorts {
  readonly program: string
  readonly home: string
  readonly files: Files
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly ids: Ids
  readonly random: () => number
  readonly shellParser: ShellParser
  readonly redaction: Redaction
  readonly environments: Environments
  /** Resolves to the places of secrets on this machine. */
  readonly secrets: () => Promise<SecretPaths>
  readonly models: ModelSources
  readonly keys: ProviderKeys
  readonly mcpServers: McpServers
  readonly userRules: UserRules
  readonly projects: Projects
  /** Reads the ceiling anew for each question: the user may have changed their file. */
  readonly ceiling: () => Ceiling
  readonly report: (fault: unknown, conversationId?: ConversationId) => void
  /** Sends a notice to every connected client. */
  readonly notify: (notice: ServerNotice) => void
}

/** Builds the modules of a conversation and looks at its environment. Rejects when a new one could not work there. */
async function openConversation(parts: OpenParts, ports: SetupPorts): Promise<LiveConversation> {
  const { clock, ids, shellParser, redaction } = ports
  const { core } = parts.state
  const config = configOf(parts, ports)
  const { values } = config.effective
  const givenRules = [...(await readGivenRules(ports, parts)), ...trustedRules(config.project, config.own)]
  const onFault = reportOnce((fault) => ports.report(fault, core.meta.conversationId))
  await learnSecrets(values, core.settings.modelProvider, ports)
  const { conversationId } = core.meta
  const patience = createStoragePatience(ports, { conversationId, report: onFault, probe: () => conversation.probe() })
  const conversation = redactedConversation(parts, ports, { onLoss: onFault, patience })
  const { environment, release } = takeEnvironment(core, ports.environments, {
    // A view runs nothing, and opens also when its machine or the machine's settings are missing.
    environment: parts.readOnly ? undefined : core.settings.environment,
    config: values,
    onLinkChange: (change) =>
      linkNotice(change, {
        conversation,
        notify: ports.notify,
        newItemId: ids.item,
        isBusy: () => isBusy({ turns, shell, backgroundProcesses }),
      }),
  })
  const { limits, background } = openLimits({
    conversation,
    environment,
    home: ports.home,
    folder: parts.paths.scratch,
    ids,
    onFault,
  })
  const { snapshots: folder } = parts.paths
  const history = createFileHistory({ state: () => conversation.state, environment, folder, now: clock.now, onFault })
  const envRules = envRulesOf(values.shell_environment)
  const toolPorts = { environment, background, shellParser, envRules, redaction, clock }
  const clients = createParticipants()
  const models = { sourceOf: ports.models(values), fallbacks: fallbacksOf(values) }
  const mcp = openMcp({ conversation, clients, config, environment }, ports)
  const modules = createTurnModules(
    { conversation, clients, toolPorts, mcp, limits, history, givenRules, config: values, ...models },
    ports,
  )
  const turns = new TurnLoop({ conversation, modules, patience, onFault })
  const shell = createShellRunner({ conversation, patience, ports: toolPorts, newItemId: ids.item, onFault })
  const backgroundProcesses = () => background.list().filter(({ end }) => end === null).length
  const leave = () => Promise.all([release(), mcp[Symbol.asyncDispose]()])
  if (!parts.readOnly) history.begin()
  const running = { conversation, turns, shell, clients, patience }
  const closing = { ...running, background, limits, history, leave, dispose: parts.dispose }
  const entered = await enterEnvironment({ conversation, environment, gather: modules.gather, limits, leave })
  return {
    ...running,
    modules,
    mcp,
    backgroundProcesses,
    ceiling: ports.ceiling,
    paths: parts.paths,
    opening: openingOf(parts, entered, [...noticesOf(config), ...writableRules(parts, ports.env['HOME'] ?? '/')]),
    [Symbol.asyncDispose]: () => closeConversation(closing),
  }
}

function openingOf(
  { recovered, warnings }: OpenParts,
  entered: Pick<LiveConversation['opening'], 'instructionFiles' | 'warnings'>,
  notices: readonly string[],
): LiveConversation['opening'] {
  return { ...entered, recovered, warnings: [...warnings, ...entered.warnings, ...notices] }
}

/** Makes redaction know the secrets of the configuration and the kept keys, before any text is taken. */
async function learnSecrets(values: Config, providerId: string, { keys, redaction, env }: SetupPorts): Promise<void> {
  await keys.learn(providerId)
  redaction.learn(secretsOfConfig(values, env))
}

/** Redacts every event and side file before it is written. */
function redactedConversation(
  parts: OpenParts,
  { clock, program, redaction }: SetupPorts,
  disk: Pick<ConversationParts, 'onLoss' | 'patience'>,
): Conversation {
  const { state, view, headCrc, nextSeq, journal, startJournal, readOnly, logVersion } = parts
  return new Conversation({
    state,
    view,
    headCrc,
    nextSeq,
    journal,
    ...(startJournal === undefined ? {} : { startJournal }),
    sideFiles: redactSideFiles(parts.sideFiles, redaction),
    clock,
    redact: (event) => redactEvent(event, redaction.text),
    readOnly,
    logVersion,
    program,
    ...disk,
  })
}

interface McpParts {
  readonly conversation: Conversation
  readonly clients: Participants
  readonly config: ConfigHere
  readonly environment: Environment
}

function openMcp(
  { conversation, clients, config, environment }: McpParts,
  { mcpServers, ids, env }: SetupPorts,
): ConversationMcp {
  const { effective, own, project } = config
  const { cwd } = conversation.state.core.meta
  // Tool servers run on this machine, where a folder of another one does not exist.
  const folder = environment.name === null ? cwd : (env['HOME'] ?? '/')
  return createConversationMcp({
    conversation,
    lease: (sandbox) =>
      mcpServers.lease(mcpSettings(effective.values, folder, serverSandboxPolicies(project, own, sandbox))),
    newItemId: ids.item,
    isWatched: () => clients.answerers.length > 0,
  })
}

/** Returns the configuration without a project for a view and for a conversation of another machine. */
function configOf({ state, overrides, readOnly }: OpenParts, { home, projects }: SetupPorts): ConfigHere {
  const { meta, settings } = state.core
  if (!readOnly && settings.environment === undefined)
    return configHere(meta.cwd, configOnly(overrides), { home, projects })
  const effective = readConfig(home, configOnly(overrides))
  return { effective, own: effective.values, project: null }
}

function noticesOf({ project }: ConfigHere): readonly string[] {
  return [trustNotice(project)].filter((notice) => notice !== null)
}
