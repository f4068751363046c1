import type { Rules } from '@parley/policy'
import type { ToolPorts } from '../../tools/define-tool.ts'
import { createTools } from '../../tools/registry.ts'
import type { Participants } from '../clients/participants.ts'
import type { ConversationMcp } from '../context/conversation-mcp.ts'
import { createRequestSource, type RequestContext } from '../context/request-source.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationLimits } from '../limits/conversation-limits.ts'
import type { ModelSource } from '../settings/model-sources.ts'
import { createSessionMemory } from '../turn/session-memory.ts'
import type { TurnModules } from '../turn/turn-context.ts'

interface Parts {
  readonly conversation: Conversation
  readonly clients: Participants
  readonly toolPorts: ToolPorts
  readonly mcp: ConversationMcp
  readonly limits: ConversationLimits
  /** Rules of this conversation besides the user's own. */
  readonly givenRules: Rules
  readonly gather: () => Promise<RequestContext>
  readonly sourceOf: (providerId: string) => ModelSource
}

type Ports = Pick<TurnModules, 'clock' | 'ids' | 'random' | 'redaction' | 'userRules'>

/** Builds what a conversation's turns use: tools, rules, requests and session memory. */
export function createTurnModules(parts: Parts, { clock, ids, random, redaction, userRules }: Ports): TurnModules {
  const { conversation, clients, toolPorts, mcp, limits, givenRules, gather, sourceOf } = parts
  const tools = createTools(toolPorts)
  const model = () => sourceOf(conversation.state.core.settings.modelProvider)
  const { watchers, streams } = clients
  return {
    clock,
    ids,
    random,
    redaction,
    memory: createSessionMemory(),
    get tools() {
      return [...tools, ...mcp.tools()]
    },
    get rules() {
      return [...userRules.rules, ...givenRules]
    },
    userRules,
    limits,
    model,
    requests: createRequestSource({ conversation, tools, offered: mcp.offered, client: () => model().client, gather }),
    answerers: () => [...watchers],
    // Followers that cannot answer mean a script; without followers a person may still return and answer.
    mayAsk: () =>
      conversation.state.core.settings.approvalPolicy !== 'never' && (watchers.size > 0 || streams.size === 0),
  }
}
