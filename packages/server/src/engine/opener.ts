import { type Config, ConfigProblem, secretsOfConfig } from '@parley/config'
import type { SessionPaths } from '@parley/journal'
import { type McpServers, mcpSettings } from '@parley/mcp-client'
import {
  confinements,
  type Project,
  type Projects,
  type Rules,
  type ShellParser,
  trustedRules,
  trustNotice,
  type UserRules,
} from '@parley/policy'
import type { Actor, ConversationEvent, ConversationState, Overrides, ServerNotice } from '@parley/protocol'
import { type Redaction, redactEvent } from '@parley/redaction'
import type { EnvironmentRequest, Environments, TakenEnvironment } from '@parley/workspace'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import { createTools } from '../tools/registry.ts'
import type { ToolPorts } from '../tools/tool-ports.ts'
import type { Bench, ModelSource } from './bench.ts'
import { closeConversation } from './close-conversation.ts'
import { type ConfigHere, configHere } from './config-here.ts'
import { Conversation, type ConversationParts } from './conversation.ts'
import { type ConversationMcp, createConversationMcp } from './conversation-mcp.ts'
import { Driver } from './drive.ts'
import { enterPlace } from './enter-place.ts'
import { gatherContext } from './gather-context.ts'
import { readGivenRules, writableRules } from './given-rules.ts'
import type { Ceiling } from './limits/ceiling.ts'
import { type ConversationLimits, openLimits } from './limits/conversation-limits.ts'
import { type OpenConversation, shortIdOf } from './open-conversation.ts'
import { parleyItself } from './parley-itself.ts'
import { createPresence } from './presence.ts'
import { readConfig } from './read-config.ts'
import { redactSideFiles } from './redact-side-files.ts'
import { createRequestSource, type RequestContext } from './request-source.ts'
import { createShellRunner } from './run-shell.ts'
import { type SettledStart, type StartParams, settleStart } from './settle.ts'
import { settleFork } from './settle-fork.ts'
import { settleResume } from './settle-resume.ts'
import { createStoragePatience } from './storage-patience.ts'
import { tellOfLink } from './tell-of-link.ts'
import { tellOnce } from './tell-once.ts'

/** How conversations are set up, whatever way they come: new, resumed or forked. */
export interface Opener {
  readonly program: string
  settle(params: StartParams): SettledStart
  /** What a resume changes: flags of the caller against what was recorded. */
  resettle(state: ConversationState, overrides: Overrides, by: Actor): readonly ConversationEvent[]
  /** Settles what was open at the point of a fork: its approvals belong to the original. */
  settleFork(state: ConversationState): readonly ConversationEvent[]
  open(parts: OpenParts): Promise<OpenConversation>
  /** Where a recorded conversation works. */
  takePlace(state: ConversationState, overrides?: Overrides): TakenEnvironment
}

export interface OpenParts extends Omit<ConversationParts, 'clock' | 'program' | 'redact' | 'onLoss'> {
  readonly paths: SessionPaths
  readonly recovered: string | null
  readonly warnings: readonly string[]
  /** What the caller gave besides files, so that an open conversation keeps its providers. */
  readonly overrides: Overrides
  readonly dispose: () => void
}

export interface OpenerPorts {
  readonly program: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly ids: Ids
  readonly random: () => number
  readonly shellParser: ShellParser
  readonly redaction: Redaction
  readonly places: Environments
  readonly models: ModelSources
  readonly mcpServers: McpServers
  readonly userRules: UserRules
  readonly projects: Projects
  /** Read anew for each question: the user may have changed their file. */
  readonly ceiling: () => Ceiling
  readonly report: (fault: unknown, conversationId?: string) => void
  /** To everyone connected. */
  readonly notify: (notice: ServerNotice) => void
}

/** The models of one configuration, by provider. */
export type ModelSources = (config: Config) => (providerId: string) => ModelSource

export function createOpener(ports: OpenerPorts): Opener {
  const { home, ceiling } = ports
  const resettle: Opener['resettle'] = (state, overrides, by) =>
    settleResume(state, overrides, { by, home, ceiling, newItemId: ports.ids.item })
  return {
    program: ports.program,
    settle: (params) => settleStart(params, ports),
    resettle,
    settleFork: (state) => [...settleFork(state), ...resettle(state, {}, parleyItself)],
    takePlace: ({ core }, overrides = {}) =>
      takePlace(core, ports, {
        environment: core.settings.environment,
        config: readConfig(ports.home, configOnly(overrides)).values,
      }),
    open: (parts) => openConversation(parts, ports),
  }
}

/** What cannot be opened where it works can still be read, and whoever is refused is told how. */
function takePlace(
  { seq, meta }: OpenParts['state']['core'],
  { places }: OpenerPorts,
  wanted: EnvironmentRequest,
): TakenEnvironment {
  try {
    return places.take(wanted)
  } catch (error) {
    if (!(error instanceof ConfigProblem) || seq === 0) throw error
    const way = `\`parley attach --read-only ${shortIdOf(meta.conversationId)}\` shows it.`
    throw new ConfigProblem(error.where, `${error.what} ${way}`)
  }
}

async function openConversation(parts: OpenParts, ports: OpenerPorts): Promise<OpenConversation> {
  const { conversationId } = parts.state.core.meta
  const { effective, own, project } = configOf(parts, ports)
  const { values } = effective
  const givenRules = [...(await readGivenRules(ports.userRules, parts)), ...trustedRules(project, own)]
  const onFault = tellOnce((fault) => ports.report(fault, conversationId))
  const { clock } = ports
  ports.redaction.learn(secretsOfConfig(values, ports.env))
  const conversation = redactedConversation(parts, ports, onFault)
  const { environment: place, release } = takePlace(parts.state.core, ports, {
    // A view runs nothing, and is there also when the machine or its settings are not.
    environment: parts.readOnly ? undefined : parts.state.core.settings.environment,
    config: values,
    onLinkChange: (change) =>
      tellOfLink(change, { conversation, notify: ports.notify, newItemId: ports.ids.item, isBusy }),
  })
  const { limits, background } = openLimits({ conversation, place, ...ports, folder: parts.paths.scratch, onFault })
  const toolPorts: ToolPorts = { ...ports, place, background, environmentRules: definedRules(values.shell_environment) }
  const watchers = new Set<string>()
  const streams = new Set<() => void>()
  const gather = () => gatherContext(conversation, { home: ports.home, place, nowMs: clock.now() })
  const { meta } = parts.state.core
  const serverFolder = place.name === null ? meta.cwd : (ports.env['HOME'] ?? '/')
  const mcp = createConversationMcp({
    conversation,
    lease: (sandbox) => ports.mcpServers.lease(mcpSettings(values, serverFolder, confinements(project, own, sandbox))),
    newItemId: ports.ids.item,
    isWatched: () => watchers.size > 0,
  })
  const bench = createBench(conversation, toolPorts, {
    ...ports,
    limits,
    mcp,
    streams,
    givenRules,
    watchers,
    gather,
    sourceOf: ports.models(values),
  })
  const patience = createStoragePatience(clock, onFault)
  const driver = new Driver({ conversation, bench, patience, onFault })
  const shell = createShellRunner({ conversation, patience, ports: toolPorts, newItemId: ports.ids.item, onFault })
  const runsThere = () => background.list().filter(({ end }) => end === null).length
  const isBusy = () => driver.running || runsThere() > 0 || shell.running()
  const leave = () => Promise.all([release(), mcp[Symbol.asyncDispose]()])
  const { instructionFiles, warnings } = await enterPlace({ conversation, place, gather, limits, leave })
  return {
    conversation,
    driver,
    bench,
    shell,
    mcp,
    limits,
    instructionFiles,
    watchers,
    streams,
    presence: createPresence(),
    ceiling: ports.ceiling,
    paths: parts.paths,
    recovered: parts.recovered,
    warnings: [...parts.warnings, ...warnings, ...noticesOf(project), ...writableRules(parts, ports)],
    backgroundProcesses: runsThere,
    [Symbol.asyncDispose]: () =>
      closeConversation({ conversation, driver, shell, background, limits, streams, leave, dispose: parts.dispose }),
  }
}

function redactedConversation(
  parts: OpenParts,
  { clock, program, redaction }: OpenerPorts,
  onLoss: (error: unknown) => void,
): Conversation {
  const sideFiles = redactSideFiles(parts.sideFiles, redaction)
  const redact = (event: ConversationEvent) => redactEvent(event, redaction.text)
  return new Conversation({ ...parts, sideFiles, redact, clock, program, onLoss })
}

interface BenchPorts extends Pick<OpenerPorts, 'clock' | 'ids' | 'random' | 'redaction' | 'userRules'> {
  readonly gather: () => Promise<RequestContext>
  /** Besides the user's own. */
  readonly givenRules: Rules
  readonly watchers: ReadonlySet<string>
  readonly streams: ReadonlySet<unknown>
  readonly mcp: ConversationMcp
  readonly limits: ConversationLimits
  readonly sourceOf: (providerId: string) => ModelSource
}

function createBench(conversation: Conversation, toolPorts: ToolPorts, ports: BenchPorts): Bench {
  const { clock, ids, random, redaction, userRules, givenRules, watchers, streams, gather, sourceOf, mcp, limits } =
    ports
  const tools = createTools(toolPorts)
  const model = () => sourceOf(conversation.state.core.settings.modelProvider)
  return {
    clock,
    ids,
    random,
    redaction,
    secretCalls: new Map(),
    told: new Set(),
    get tools() {
      return [...tools, ...mcp.tools()]
    },
    get rules() {
      return [...userRules.rules, ...givenRules]
    },
    userRules,
    limits,
    grants: [],
    model,
    requests: createRequestSource({
      conversation,
      tools,
      offered: mcp.offered,
      client: () => model().client,
      gather,
    }),
    answerers: () => [...watchers],
    // Followed by those who cannot answer is a script; followed by nobody is left alone, and somebody may come.
    mayAsk: () =>
      conversation.state.core.settings.approvalPolicy !== 'never' && (watchers.size > 0 || streams.size === 0),
    questions: { byApproval: new Map() },
  }
}

/** A view runs nothing, and a conversation of another machine has its project there. */
function configOf({ state, overrides, readOnly }: OpenParts, ports: OpenerPorts): ConfigHere {
  const { meta, settings } = state.core
  if (!readOnly && settings.environment === undefined) return configHere(meta.cwd, configOnly(overrides), ports)
  const effective = readConfig(ports.home, configOnly(overrides))
  return { effective, own: effective.values, project: null }
}

function noticesOf(project: Project | null): readonly string[] {
  const notice = trustNotice(project)
  return notice === null ? [] : [notice]
}

function configOnly({ config, profile }: Overrides): Overrides {
  return { ...(config === undefined ? {} : { config }), ...(profile === undefined ? {} : { profile }) }
}

type EnvironmentSection = NonNullable<Config['shell_environment']>

export function definedRules({ include = [], exclude = [], set = {} }: EnvironmentSection = {}) {
  return { include, exclude, set }
}
