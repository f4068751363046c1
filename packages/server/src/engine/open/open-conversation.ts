import { secretsOfConfig } from '@parley/config'
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
} from '@parley/protocol'
import { type Redaction, redactEvent } from '@parley/redaction'
import type { Environment, Environments, SecretPaths, TakenEnvironment } from '@parley/workspace'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import { type ConversationMcp, createConversationMcp } from '../context/conversation-mcp.ts'
import { gatherContext } from '../context/session-context.ts'
import { Conversation } from '../conversation/conversation.ts'
import { linkNotice, parleyItself } from '../conversation/notices.ts'
import { redactSideFiles } from '../conversation/side-files.ts'
import { createStoragePatience, reportOnce } from '../conversation/storage-patience.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import { openLimits } from '../limits/conversation-limits.ts'
import { readGivenRules, writableRules } from '../policy/read-rules.ts'
import { createParticipants, type Participants } from '../session/participants.ts'
import { type InitialSettings, initialSettings, type StartParams } from '../settings/initial-settings.ts'
import type { ModelSources } from '../settings/model-sources.ts'
import { type ConfigHere, configHere, configOnly, definedRules, readConfig } from '../settings/read-config.ts'
import { resumeChanges } from '../settings/resume-changes.ts'
import { createTurnModules } from '../turn/turn-context.ts'
import { TurnLoop } from '../turn/turn-loop.ts'
import { createShellRunner } from '../turn/user-shell.ts'
import type { OpenParts } from './conversation-parts.ts'
import { enterEnvironment, takeEnvironment } from './enter-environment.ts'
import { forkCleanup } from './fork.ts'
import { closeConversation, type LiveConversation } from './live-conversation.ts'

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
  /** Returns the events by which the flags of a resume change what was recorded. */
  resumeChanges(state: ConversationState, overrides: Overrides, resumer: Resumer): readonly ConversationEvent[]
  /** Returns the events that close what was open at the point of a fork. */
  forkCleanup(state: ConversationState, secrets: SecretPaths): readonly ConversationEvent[]
  open(parts: OpenParts): Promise<LiveConversation>
  /** Takes the environment of a recorded conversation; the caller releases it. */
  takeEnvironment(state: ConversationState, overrides?: Overrides): TakenEnvironment
}

export function createSetup(ports: SetupPorts): ConversationSetup {
  const { home, ceiling, ids, places } = ports
  const changes: ConversationSetup['resumeChanges'] = (state, overrides, resumer) =>
    resumeChanges(state, overrides, { ...resumer, home, ceiling, newItemId: ids.item })
  return {
    program: ports.program,
    secrets: ports.secrets,
    initialSettings: (params, secrets) => initialSettings(params, { ...ports, secrets }),
    resumeChanges: changes,
    forkCleanup: (state, secrets) => [...forkCleanup(state), ...changes(state, {}, { by: parleyItself, secrets })],
    takeEnvironment: ({ core }, overrides = {}) =>
      takeEnvironment(core, places, {
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
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly ids: Ids
  readonly random: () => number
  readonly shellParser: ShellParser
  readonly redaction: Redaction
  readonly places: Environments
  /** Resolves to the places of secrets on this machine. */
  readonly secrets: () => Promise<SecretPaths>
  readonly models: ModelSources
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
  const givenRules = [...(await readGivenRules(ports.userRules, parts)), ...trustedRules(config.project, config.own)]
  const onFault = reportOnce((fault) => ports.report(fault, core.meta.conversationId))
  redaction.learn(secretsOfConfig(values, ports.env))
  const conversation = redactedConversation(parts, ports, onFault)
  const { environment, release } = takeEnvironment(core, ports.places, {
    // A view runs nothing, and opens also when its machine or the machine's settings are missing.
    environment: parts.readOnly ? undefined : core.settings.environment,
    config: values,
    onLinkChange: (change) => linkNotice(change, { conversation, notify: ports.notify, newItemId: ids.item, isBusy }),
  })
  const { limits, background } = openLimits({
    conversation,
    place: environment,
    home: ports.home,
    folder: parts.paths.scratch,
    ids,
    onFault,
  })
  const environmentRules = definedRules(values.shell_environment)
  const toolPorts = { place: environment, background, shellParser, environmentRules, redaction, clock }
  const clients = createParticipants()
  const gather = () => gatherContext(conversation, { home: ports.home, environment, nowMs: clock.now() })
  const mcp = openMcp({ conversation, clients, config, environment }, ports)
  const sourceOf = ports.models(values)
  const modules = createTurnModules(
    { conversation, clients, toolPorts, mcp, limits, givenRules, gather, sourceOf },
    ports,
  )
  const patience = createStoragePatience(clock, onFault)
  const turns = new TurnLoop({ conversation, modules, patience, onFault })
  const shell = createShellRunner({ conversation, patience, ports: toolPorts, newItemId: ids.item, onFault })
  const backgroundProcesses = () => background.list().filter(({ end }) => end === null).length
  const isBusy = () => turns.running || backgroundProcesses() > 0 || shell.running()
  const leave = () => Promise.all([release(), mcp[Symbol.asyncDispose]()])
  const entered = await enterEnvironment({ conversation, environment, gather, limits, leave })
  return {
    conversation,
    turns,
    modules,
    shell,
    mcp,
    clients,
    backgroundProcesses,
    ceiling: ports.ceiling,
    paths: parts.paths,
    opening: {
      recovered: parts.recovered,
      instructionFiles: entered.instructionFiles,
      warnings: [
        ...parts.warnings,
        ...entered.warnings,
        ...noticesOf(config),
        ...writableRules(parts, ports.env['HOME'] ?? '/'),
      ],
    },
    [Symbol.asyncDispose]: () =>
      closeConversation({ conversation, turns, shell, background, limits, clients, leave, dispose: parts.dispose }),
  }
}

/** Redacts every event and side file before it is written. */
function redactedConversation(
  parts: OpenParts,
  { clock, program, redaction }: SetupPorts,
  onLoss: (error: unknown) => void,
): Conversation {
  const sideFiles = redactSideFiles(parts.sideFiles, redaction)
  const redact = (event: ConversationEvent) => redactEvent(event, redaction.text)
  return new Conversation({ ...parts, sideFiles, redact, clock, program, onLoss })
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
  const notice = trustNotice(project)
  return notice === null ? [] : [notice]
}
