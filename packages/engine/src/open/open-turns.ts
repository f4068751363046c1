import type { ProviderKeys } from '@parley/credentials'
import type { McpServers } from '@parley/mcp-client'
import { type Rules, trustedRules, type UserRules } from '@parley/policy'
import type { ConversationMcp } from '../context/conversation-mcp.ts'
import type { AllowedServers } from '../limits/allowed-servers.ts'
import type { Ceiling } from '../limits/ceiling.ts'
import { openMcp } from '../project/open-mcp.ts'
import type { Roles } from '../roles/roles.ts'
import { type ConversationProcesses, createConversationProcesses } from '../session/conversation-processes.ts'
import { createParticipants, type Participants } from '../session/participants.ts'
import { fallbacksOf, type ModelSources } from '../settings/model-sources.ts'
import { createRoles } from '../turn/create-roles.ts'
import { TurnLoop } from '../turn/turn-loop.ts'
import { createShellRunner, type ShellRunner } from '../turn/user-shell.ts'
import type { ActPorts } from './open-environment.ts'
import type { RecordPorts } from './open-record.ts'
import type { OpenTools, PlacedConversation } from './open-tools.ts'

/** Ports of the server that turns ask models and people with. */
export interface TurnPorts {
  readonly random: () => number
  readonly models: ModelSources
  readonly keys: ProviderKeys
  /** Returns the address at which clients of a team reach this server; null without one. */
  readonly announced: () => string | null
  readonly mcpServers: McpServers
  /** Servers that editors hand over. */
  readonly allowedServers: Pick<AllowedServers, 'of'>
  readonly userRules: UserRules
  /** Reads the ceiling anew for each question: the user may have changed their file. */
  readonly ceiling: () => Ceiling
}

/** Turns of a conversation, its tool servers and commands, and its clients. */
export interface OpenTurns {
  readonly turns: TurnLoop
  readonly roles: Roles
  readonly mcp: ConversationMcp
  readonly shell: ShellRunner
  readonly processes: ConversationProcesses
  readonly clients: Participants
}

interface ConversationWithTools extends PlacedConversation {
  readonly tools: OpenTools
  /** Rules given at launch. */
  readonly givenRules: Rules
}

export function openTurns(
  { parts, record, place, tools, givenRules }: ConversationWithTools,
  ports: RecordPorts & ActPorts & TurnPorts,
): OpenTurns {
  const { conversation, onFault } = record
  const { environment, project } = place
  const { toolPorts, limits, history, hooks, background } = tools
  const { ids } = ports
  const { values } = project.config.effective
  const clients = createParticipants()
  const mcp = openMcp({ conversation, clients, project, environment }, ports)
  const roles = createRoles(
    {
      log: { conversation, storage: conversation.storageRetry },
      clients,
      sharedBy: record.owner === null ? null : ports.announced,
      toolPorts,
      mcp,
      limits,
      history,
      hooks,
      project,
      givenRules: () => [...givenRules, ...trustedRules(project.config.project, project.config.own)],
      models: { sourceOf: ports.models(values), fallbacks: fallbacksOf(values), config: values },
      runningOn: parts.runningOn,
    },
    ports,
  )
  const turns = new TurnLoop(roles, onFault)
  const shell = createShellRunner({
    conversation,
    ports: toolPorts,
    newItemId: ids.item,
    onFault,
  })
  const { clock, redaction, tellPrinted } = toolPorts
  const own = shell.processes
  const processes = createConversationProcesses({
    clock,
    redaction,
    tellPrinted,
    conversation,
    background,
    own,
    onFault,
  })
  return { turns, roles, mcp, shell, processes, clients }
}
