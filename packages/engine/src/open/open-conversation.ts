import { type EffectiveConfig, secretsOfConfig } from '@parley/config'
import type { Host } from '@parley/host'
import type { Files } from '@parley/journal'
import type { McpServers } from '@parley/mcp-client'
import { type Projects, type ShellParser, trustedRules, trustNotice, type UserRules } from '@parley/policy'
import type { ConversationId, ServerNotice } from '@parley/protocol'
import { type Redaction, redactEvent } from '@parley/redaction'
import type { Environment, EnvironmentRequest, Environments, LinkChange, SecretPaths } from '@parley/workspace'
import { denyByHook } from '../commands/deny-by-hook.ts'
import type { CheckpointLimits } from '../conversation/checkpoint-writer.ts'
import { Conversation, type ConversationParts } from '../conversation/conversation.ts'
import { linkNotice, noticeItem } from '../conversation/notices.ts'
import { redactSideFiles } from '../conversation/side-files.ts'
import { createStoragePatience, reportOnce, unlessStorageFails } from '../conversation/storage-patience.ts'
import { createFileHistory, type FileHistory } from '../history/file-history.ts'
import { createHooks, type WatchingHooks } from '../hooks/conversation-hooks.ts'
import { hooksOf } from '../hooks/placed-hooks.ts'
import { watchEvents } from '../hooks/watch-events.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import { openLimits } from '../limits/conversation-limits.ts'
import type { HandedServers } from '../limits/handed-servers.ts'
import { openMcp } from '../limits/open-mcp.ts'
import type { ProviderKeys } from '../login/provider-keys.ts'
import { type LogEvent, logConversation } from '../metrics/event-log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { readGivenRules, writableRules } from '../policy/read-rules.ts'
import type { Clock, Ids } from '../ports/clock-and-ids.ts'
import type { EditorTexts } from '../ports/editor.ts'
import { type ConversationProject, projectHere, projectInEnvironment } from '../project/conversation-project.ts'
import { createConversationProcesses } from '../session/conversation-processes.ts'
import { createParticipants } from '../session/participants.ts'
import { keepRunning } from '../session/running-on.ts'
import { fallbacksOf, type ModelSources } from '../settings/model-sources.ts'
import { type ConfigHere, configHere, configOnly, envRulesOf, readConfig } from '../settings/read-config.ts'
import { conversationSkills } from '../skills/conversation-skills.ts'
import { createRoles } from '../turn/create-roles.ts'
import { followRunning } from '../turn/follow-running.ts'
import { TurnLoop } from '../turn/turn-loop.ts'
import { createShellRunner } from '../turn/user-shell.ts'
import { createUserTyping } from '../turn/user-typing.ts'
import type { OpenParts } from './conversation-parts.ts'
import { enterEnvironment, takeEnvironment } from './enter-environment.ts'
import { closeConversation, isBusy, type LiveConversation } from './live-conversation.ts'
import { startProof } from './prove-checkpoint.ts'

/** Ports of the server that conversations are opened with. */
export interface SetupPorts {
  readonly program: string
  readonly checkpoints: CheckpointLimits
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
  /** Returns the address by which clients of a team reach this server; null for none. */
  readonly announced: () => string | null
  readonly keys: ProviderKeys
  readonly mcpServers: McpServers
  /** Servers that editors hand over. */
  readonly handed: Pick<HandedServers, 'of'>
  readonly userRules: UserRules
  readonly projects: Projects
  /** Reads the ceiling anew for each question: the user may have changed their file. */
  readonly ceiling: () => Ceiling
  readonly report: (fault: unknown, conversationId?: ConversationId) => void
  /** Resolves to a content that a file of a conversation had, by its hash, as a store has it; null for none. */
  readonly content: (conversationId: ConversationId, hash: string) => Promise<Uint8Array | null>
  /** Sends a notice to every connected client. */
  readonly notify: (notice: ServerNotice) => void
  readonly processes: Pick<Host, 'startGuard' | 'removeWhenKilled'>
  /** Undefined where no client is an editor. */
  readonly editors: EditorTexts | undefined
  /** Undefined where nothing is counted. */
  readonly metrics: Metrics | undefined
  /** Undefined where nothing is logged. */
  readonly logEvent: LogEvent | undefined
}

/** Builds the roles of a conversation and looks at its environment. Rejects when a new one could not work there. */
export async function openConversation(parts: OpenParts, ports: SetupPorts): Promise<LiveConversation> {
  const { clock, ids, shellParser, redaction, editors } = ports
  const { core } = parts.state
  const config = configOf(parts, ports)
  const { values } = config.effective
  const personsRules = await readGivenRules(ports, parts)
  const { conversationId } = core.meta
  const onFault = reportOnce((fault) => ports.report(fault, conversationId))
  await learnSecrets(config.effective, core.settings.modelProvider, ports)
  const patience = createStoragePatience(ports, { conversationId, report: onFault, probe: () => conversation.probe() })
  const conversation = redactedConversation(parts, ports, { onLoss: onFault, patience })
  const onLinkChange = (change: LinkChange) => {
    const isBusyNow = () => isBusy({ turns, shell, processes })
    linkNotice(change, { conversation, notify: ports.notify, newItemId: ids.item, isBusy: isBusyNow })
  }
  const { environment, release } = takeEnvironment(core, ports.environments, {
    // A view runs nothing, and opens also when its machine or the machine's settings are missing.
    environment: parts.readOnly ? undefined : core.settings.environment,
    config: values,
    ...ownerFor(parts, onFault),
    onLinkChange,
  })
  if (parts.owner !== null) keepRunning(conversation, environment.kept, parts.names)
  const around = { conversation, environment, onFault }
  const { limits, background, tellPrinted, forwards } = openLimits({
    ...{ ...around, patience, ids },
    home: ports.home,
    folder: parts.paths.scratch,
  })
  const history = openHistory(around, parts, ports)
  const envRules = envRulesOf(values.shell_environment)
  const project = projectOf({ parts, conversation, environment, config }, ports)
  const givenRules = () => [...personsRules, ...trustedRules(project.config.project, project.config.own)]
  const skills = conversationSkills({ ...ports, conversation, project }, environment)
  const toolPorts = { environment, background, tellPrinted, shellParser, envRules, redaction, clock, skills, editors }
  const placed = hooksOf(project, { processes: ports.processes, copies: environment.copies })
  const hooks = createHooks({ conversation, limits, toolPorts, project, hooks: () => placed.hooks }, ports)
  const clients = createParticipants()
  const models = { sourceOf: ports.models(values), fallbacks: fallbacksOf(values), config: values }
  const isShared = parts.owner !== null
  const mcp = openMcp({ conversation, clients, project, environment }, ports)
  const sharedBy = isShared ? ports.announced : null
  const acting = { toolPorts, mcp, limits, history, hooks, project, givenRules, models, runningOn: parts.runningOn }
  const roles = createRoles({ log: { conversation, storage: patience }, clients, sharedBy, ...acting }, ports)
  const turns = new TurnLoop(roles, onFault)
  const shell = createShellRunner({ conversation, patience, ports: toolPorts, newItemId: ids.item, onFault })
  const processes = createConversationProcesses({ ...toolPorts, conversation, own: shell.processes, onFault })
  // Tool servers may run in the environment.
  const leave = () => Promise.resolve(mcp[Symbol.asyncDispose]()).finally(release)
  const running = { conversation, turns, shell, clients, patience, skills, forwards }
  watchForOperator(conversation, ports)
  const watching = watchEvents({ ...running, hooks, placed, ids, clock, deny: denyByHook(() => live), onFault })
  const entered = await enterEnvironment({ ...around, parts, roles, project, leave })
  const closing = { ...running, background, limits, history, watching, leave, dispose: startProof(parts, ports.notify) }
  const live: LiveConversation = {
    ...running,
    roles,
    mcp,
    processes,
    typing: createUserTyping({ tools: toolPorts, roles }),
    ...{ mayWork: environment.mayWork, ceiling: ports.ceiling, paths: parts.paths },
    opening: openingOf(parts, entered, noticesOf(project.config, parts, ports)),
    takeUp: () => takeUp(parts, { shell, processes, toolPorts, roles, watching }),
    handOver: () => closeConversation(closing, isShared ? 'handOver' : 'shutdown'),
    [Symbol.asyncDispose]: () => closeConversation(closing, 'shutdown'),
  }
  return live
}

type TakenUp = Parameters<typeof followRunning>[1] & { readonly watching: WatchingHooks }

/** Goes on with what an earlier process left: commands that run on, and hooks about questions that wait. */
function takeUp({ runningOn }: OpenParts, { watching, ...around }: TakenUp): void {
  followRunning(runningOn, around)
  watching.takeUp()
}

interface ProjectParts {
  readonly parts: OpenParts
  readonly conversation: Conversation
  readonly environment: Environment
  readonly config: ConfigHere
}

/** Returns the project of a conversation; of a view none that is elsewhere, since it reaches no other machine. */
function projectOf(
  { parts, conversation, environment, config }: ProjectParts,
  { home, projects }: SetupPorts,
): ConversationProject {
  const cwd = () => conversation.state.core.meta.cwd
  if (environment.name === null) return projectHere(config, cwd, { projects })
  return projectInEnvironment({ config, environment, overrides: configOnly(parts.overrides), cwd }, { home, projects })
}

/** Counts and logs what happens, where whoever runs the server wants that. */
function watchForOperator(conversation: Conversation, { metrics, logEvent, clock }: SetupPorts): void {
  if (metrics !== undefined) conversation.watch(metrics.conversation(clock.elapsed))
  if (logEvent !== undefined) conversation.watch(logConversation(conversation.id, logEvent))
}

/** Returns the right to the conversation, the end of which is reported: it is closed here then. */
function ownerFor({ owner }: OpenParts, onFault: (fault: unknown) => void): Pick<EnvironmentRequest, 'owner'> {
  if (owner === null) return {}
  const taken = () => {
    owner.taken()
    onFault(owner.ended)
  }
  return { owner: { ...owner, taken } }
}

interface HistoryParts {
  readonly conversation: Conversation
  readonly environment: Environment
  readonly onFault: (fault: unknown) => void
}

function openHistory(
  { conversation, environment, onFault }: HistoryParts,
  { paths, readOnly }: Pick<OpenParts, 'paths' | 'readOnly'>,
  {
    clock: { now },
    ids,
    content,
    redaction,
    report,
  }: Pick<SetupPorts, 'clock' | 'ids' | 'content' | 'redaction' | 'report'>,
): FileHistory {
  const state = () => conversation.state
  /** A copy may have been made at a server without the contents of its original. */
  const fetch = async (hash: string) => {
    const original = conversation.state.core.meta.forkedFrom?.id
    const own = await content(conversation.id, hash)
    return own === null && original !== undefined ? content(original, hash) : own
  }
  const onUncovered = (title: string, fault?: unknown) => {
    if (fault !== undefined) report(fault)
    const item = noticeItem(ids.item(), { level: 'warning', code: 'changesNotCovered', title })
    unlessStorageFails(() => conversation.record({ type: 'item.completed', item }))
  }
  const folder = paths.snapshots
  const redact = redaction.text
  const history = createFileHistory({ state, environment, folder, fetch, now, redact, onUncovered, onFault })
  if (!readOnly) history.begin()
  return history
}

function openingOf(
  { recovered, warnings }: OpenParts,
  entered: Pick<LiveConversation['opening'], 'instructionFiles' | 'warnings'>,
  notices: readonly string[],
): LiveConversation['opening'] {
  return { ...entered, recovered, warnings: [...warnings, ...entered.warnings, ...notices] }
}

/** Makes redaction know the secrets of the configuration and the kept keys, before any text is taken. */
async function learnSecrets(
  config: EffectiveConfig,
  providerId: string,
  { keys, redaction, env }: SetupPorts,
): Promise<void> {
  await keys.learn(providerId)
  redaction.learn(secretsOfConfig(config, env))
}

/** Redacts every event and side file before it is written. */
function redactedConversation(
  // The checkpoint that is to be proven may have many megabytes.
  { prove: _prove, ...parts }: OpenParts,
  { clock, program, redaction }: SetupPorts,
  disk: Pick<ConversationParts, 'onLoss' | 'patience'>,
): Conversation {
  return new Conversation({
    ...parts,
    sideFiles: redactSideFiles(parts.sideFiles, redaction),
    redact: (event) => redactEvent(event, redaction.text),
    ...{ clock, program, ...disk },
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

function noticesOf({ project }: ConfigHere, parts: OpenParts, { env }: SetupPorts): readonly string[] {
  const notice = trustNotice(project)
  return [...(notice === null ? [] : [notice]), ...writableRules(parts, env['HOME'] ?? '/')]
}
