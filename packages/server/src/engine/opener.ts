import { join, resolve } from 'node:path'
import { createBackgroundProcesses } from '@parley/host'
import type { Actor, ConversationEvent, ConversationState, Overrides, ServerNotice } from '@parley/protocol'
import { ConfigProblem } from '../config/config-problem.ts'
import type { Config } from '../config/config-schema.ts'
import type { Rules } from '../core/policy/rules.ts'
import type { ShellParser } from '../facts/parse-shell.ts'
import type { SessionPaths } from '../log/session-paths.ts'
import { StorageError } from '../log/storage-error.ts'
import type { McpServers } from '../mcp-client/servers.ts'
import { mcpSettings } from '../mcp-client/settings.ts'
import type { Places, TakenPlace, WantedPlace } from '../place/places.ts'
import { readPolicyFile } from '../policy-file/read-policy-file.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import { createTools } from '../tools/registry.ts'
import type { ToolPorts } from '../tools/tool-ports.ts'
import type { Bench, ModelSource } from './bench.ts'
import { Conversation, type ConversationParts } from './conversation.ts'
import { type ConversationMcp, createConversationMcp } from './conversation-mcp.ts'
import { Driver } from './drive.ts'
import { enterPlace } from './enter-place.ts'
import { gatherContext } from './gather-context.ts'
import { type OpenConversation, shortIdOf } from './open-conversation.ts'
import { createPresence } from './presence.ts'
import { refusal } from './refusal.ts'
import { createRequestSource, type RequestContext } from './request-source.ts'
import { createShellRunner } from './run-shell.ts'
import { readConfig, type SettledStart, type StartParams, settleResume, settleStart } from './settle.ts'
import { settleFork } from './settle-fork.ts'
import { createStoragePatience } from './storage-patience.ts'
import { tellOfLink } from './tell-of-link.ts'

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
  takePlace(state: ConversationState, overrides?: Overrides): TakenPlace
}

export interface OpenParts extends Omit<ConversationParts, 'clock' | 'program' | 'onSyncFailure'> {
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
  readonly places: Places
  readonly models: ModelSources
  readonly mcpServers: McpServers
  readonly report: (fault: unknown, conversationId?: string) => void
  /** To everyone connected. */
  readonly notify: (notice: ServerNotice) => void
}

/** The models of one configuration, by provider. */
export type ModelSources = (config: Config) => (providerId: string) => ModelSource

export function createOpener(ports: OpenerPorts): Opener {
  return {
    program: ports.program,
    settle: (params) => settleStart(params, ports),
    resettle: (state, overrides, by) => settleResume(state, overrides, { by, home: ports.home }),
    settleFork,
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
  wanted: WantedPlace,
): TakenPlace {
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
  const { values } = readConfig(ports.home, configOnly(parts.overrides))
  const rules = await readRules(ports.home, policyFileOf(parts))
  const onFault = (fault: unknown) => ports.report(fault, conversationId)
  const { clock, program } = ports
  const conversation = new Conversation({ ...parts, clock, program, onSyncFailure: onFault })
  const { place, release } = takePlace(parts.state.core, ports, {
    // A view runs nothing, and is there also when the machine or its settings are not.
    environment: parts.readOnly ? undefined : parts.state.core.settings.environment,
    config: values,
    onLinkChange: (change) =>
      tellOfLink(change, { conversation, notify: ports.notify, newItemId: ports.ids.item, isBusy }),
  })
  const background = createBackgroundProcesses({ startCommand: place.commands.startCommand, onEnd: () => undefined })
  const toolPorts: ToolPorts = { ...ports, place, background, environmentRules: definedRules(values.shell_environment) }
  const watchers = new Set<string>()
  const streams = new Set<() => void>()
  const gather = () => gatherContext(conversation, { home: ports.home, place, nowMs: clock.now() })
  const mcp = createConversationMcp({
    conversation,
    lease: ports.mcpServers.lease(
      mcpSettings(values, place.environment === null ? conversation.state.core.meta.cwd : (ports.env['HOME'] ?? '/')),
    ),
    newItemId: ports.ids.item,
    isWatched: () => watchers.size > 0,
  })
  const bench = createBench(conversation, toolPorts, {
    ...ports,
    mcp,
    streams,
    rules,
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
  const { instructionFiles, warnings } = await enterPlace({ conversation, place, gather, leave })
  return {
    conversation,
    driver,
    bench,
    shell,
    mcp,
    instructionFiles,
    watchers,
    streams,
    presence: createPresence(),
    paths: parts.paths,
    recovered: parts.recovered,
    warnings: [...parts.warnings, ...warnings],
    backgroundProcesses: runsThere,
    async [Symbol.asyncDispose]() {
      try {
        await Promise.all([driver.shutDown(), shell.shutDown(), background.stopAll('shutdown')])
        parkQuietly(conversation)
      } finally {
        await leave()
        // Only then: what waits for the disk is delivered before its stream ends.
        await conversation[Symbol.asyncDispose]().finally(() => {
          for (const end of streams) end()
          parts.dispose()
        })
      }
    },
  }
}

interface BenchPorts extends Pick<OpenerPorts, 'clock' | 'ids' | 'random'> {
  readonly gather: () => Promise<RequestContext>
  readonly rules: Rules
  readonly watchers: ReadonlySet<string>
  readonly streams: ReadonlySet<unknown>
  readonly mcp: ConversationMcp
  readonly sourceOf: (providerId: string) => ModelSource
}

function createBench(conversation: Conversation, toolPorts: ToolPorts, ports: BenchPorts): Bench {
  const { clock, ids, random, rules, watchers, streams, gather, sourceOf, mcp } = ports
  const tools = createTools(toolPorts)
  const model = () => sourceOf(conversation.state.core.settings.modelProvider)
  return {
    clock,
    ids,
    random,
    get tools() {
      return [...tools, ...mcp.tools()]
    },
    rules,
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

/** A turn that waits for a person does not end with the process: it is there when someone comes back. */
function parkQuietly(conversation: Conversation): void {
  const { turn } = conversation.state.core
  if (turn === null || turn.parked || conversation.readOnly) return
  try {
    conversation.record({ type: 'turn.parked', turnId: turn.id, reason: 'parley was closed while an approval waited.' })
  } catch (error) {
    // The next opening finds the turn open and parks it itself.
    if (!(error instanceof StorageError)) throw error
  }
}

function configOnly({ config, profile }: Overrides): Overrides {
  return { ...(config === undefined ? {} : { config }), ...(profile === undefined ? {} : { profile }) }
}

type EnvironmentSection = NonNullable<Config['shell_environment']>

function definedRules({ include = [], exclude = [], set = {} }: EnvironmentSection = {}) {
  return { include, exclude, set }
}

/** The one of this opening, else the recorded one. */
function policyFileOf({ state, overrides }: OpenParts): string | undefined {
  const { meta, settings } = state.core
  return overrides.policyFile === undefined ? settings.policyFile : resolve(meta.cwd, overrides.policyFile)
}

/** The user's own rules and those given at launch. */
async function readRules(home: string, policyFile: string | undefined): Promise<Rules> {
  const own = await readPolicyFile(join(home, 'policy.toml'))
  const given = policyFile === undefined ? null : await readPolicyFile(policyFile)
  const problem = [...own.problems, ...(given?.problems ?? [])][0]
  if (problem === undefined) return [...own.rules, ...(given?.rules ?? [])]
  const where = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`
  throw refusal('configInvalid', `${where}: ${problem.message}`, { where })
}
