import { join } from 'node:path'
import { createBackgroundProcesses, type Host, type Sandbox } from '@parley/host'
import type { Actor, ConversationEvent, ConversationState, Overrides } from '@parley/protocol'
import type { Rules } from '../core/policy/rules.ts'
import type { ShellParser } from '../facts/parse-shell.ts'
import type { SecretPlaces } from '../facts/secret-places.ts'
import { readPolicyFile } from '../policy-file/read-policy-file.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import { createTools } from '../tools/registry.ts'
import type { ToolPorts } from '../tools/tool-ports.ts'
import type { Bench } from './bench.ts'
import { Conversation, type ConversationParts } from './conversation.ts'
import { createDriver } from './drive.ts'
import { gatherContext } from './gather-context.ts'
import { createModelSources, type ModelSourcePorts } from './model-sources.ts'
import type { OpenConversation } from './open-conversation.ts'
import { refusal } from './refusal.ts'
import { createShellRunner } from './run-shell.ts'
import { readConfig, type SettledStart, type StartParams, settleFork, settleResume, settleStart } from './settle.ts'

/** How conversations are set up, whatever way they come: new, resumed or forked. */
export interface Opener {
  readonly program: string
  settle(params: StartParams): SettledStart
  /** What a resume changes: flags of the caller against what was recorded. */
  resettle(state: ConversationState, overrides: Overrides, by: Actor): readonly ConversationEvent[]
  /** Settles what was open at the point of a fork: its approvals belong to the original. */
  settleFork(state: ConversationState): readonly ConversationEvent[]
  open(parts: OpenParts): Promise<OpenConversation>
}

export interface OpenParts extends Omit<ConversationParts, 'clock' | 'program'> {
  readonly recovered: string | null
  readonly warnings: readonly string[]
  /** What the caller gave besides files, so that an open conversation keeps its providers. */
  readonly overrides: Overrides
  readonly dispose: () => void
}

export interface OpenerPorts {
  readonly program: string
  readonly home: string
  readonly userHome: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly ids: Ids
  readonly random: () => number
  readonly host: Host
  readonly sandbox: Sandbox
  readonly shellParser: ShellParser
  readonly secrets: () => Promise<SecretPlaces>
  readonly ripgrep: string
  readonly shell: string
  readonly models: ModelSourcePorts
  readonly report: (fault: unknown, conversationId?: string) => void
}

export function createOpener(ports: OpenerPorts): Opener {
  return {
    program: ports.program,
    settle: (params) => settleStart(params, ports),
    resettle: settleResume,
    settleFork,
    open: (parts) => openConversation(parts, ports),
  }
}

async function openConversation(parts: OpenParts, ports: OpenerPorts): Promise<OpenConversation> {
  const conversation = new Conversation({ ...parts, clock: ports.clock, program: ports.program })
  const { values } = readConfig(ports.home, configOnly(parts.overrides))
  const background = createBackgroundProcesses({ startCommand: ports.host.startCommand, onEnd: () => undefined })
  const toolPorts: ToolPorts = {
    ...ports,
    background,
    environmentRules: definedRules(values.shell_environment),
    home: ports.userHome,
  }
  const watchers = new Set<string>()
  const sourceOf = createModelSources(values, ports.models)
  const bench: Bench = {
    clock: ports.clock,
    ids: ports.ids,
    random: ports.random,
    tools: createTools(toolPorts),
    rules: await readRules(ports.home, parts.state.core.settings.policyFile),
    grants: [],
    model: ({ state }) => sourceOf(state.core.settings.modelProvider),
    context: (of) =>
      gatherContext(of, {
        home: ports.home,
        shell: ports.shell,
        nowMs: ports.clock.now(),
      }),
    answerers: () => [...watchers],
  }
  const { instructionFiles } = await bench.context(conversation)
  const driver = createDriver(conversation, bench, (fault) => ports.report(fault, conversation.id))
  const shell = createShellRunner(conversation, bench, toolPorts)
  return {
    conversation,
    driver,
    bench,
    recovered: parts.recovered,
    warnings: parts.warnings,
    instructionFiles,
    watchers,
    runShell: shell.run,
    backgroundProcesses: () => background.list().filter(({ end }) => end === null).length,
    async [Symbol.asyncDispose]() {
      await driver.shutDown()
      await Promise.all([shell.stopAll(), background.stopAll('shutdown')])
      park(conversation)
      await conversation[Symbol.asyncDispose]()
      parts.dispose()
    },
  }
}

/** A turn that waits for a person does not end with the process: it is there when someone comes back. */
function park(conversation: Conversation): void {
  const { turn } = conversation.state.core
  if (turn === null || turn.parked || conversation.readOnly) return
  conversation.record({ type: 'turn.parked', turnId: turn.id, reason: 'parley was closed while an approval waited.' })
}

function configOnly({ config, profile }: Overrides): Overrides {
  return { ...(config === undefined ? {} : { config }), ...(profile === undefined ? {} : { profile }) }
}

function definedRules(
  rules: {
    include?: string[] | undefined
    exclude?: string[] | undefined
    set?: Record<string, string> | undefined
  } = {},
) {
  const { include = [], exclude = [], set = {} } = rules
  return { include, exclude, set }
}

/** The user's own rules and those given at launch. */
async function readRules(home: string, policyFile: string | undefined): Promise<Rules> {
  const own = await readPolicyFile(join(home, 'policy.toml'))
  const given = policyFile === undefined ? null : await readPolicyFile(policyFile)
  const problem = [...own.problems, ...(given?.problems ?? [])][0]
  if (problem !== undefined)
    throw refusal(
      'configInvalid',
      `${problem.file}${problem.line === undefined ? '' : `:${problem.line}`}: ${problem.message}`,
    )
  return [...own.rules, ...(given?.rules ?? [])]
}
