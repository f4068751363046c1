import type { RequestId } from '@modelcontextprotocol/server'
import type { Client } from '@parley/client/low-level'
import type { Approval, ApprovalRequest, ConversationId, Item, Settings } from '@parley/protocol'
import type { AgentName } from '../../codex-events/elicitation.ts'

/** Approval that one MCP client is asked about. */
export interface AskedApproval {
  readonly conversationId: ConversationId
  readonly approval: ApprovalRequest | Approval
  readonly item: Item | null
  readonly settings: Settings
  /** Call to ask for: the owner of the turn, or the call that brought this client to the conversation. */
  readonly callId: RequestId
  readonly agent: AgentName
  /** True when the call is still being answered, so that the elicitation travels on its stream. */
  readonly withCall: boolean
  /** Connection that takes the decision. */
  readonly client: Client
  /** Effect of a client that leaves without an answer: the approval stays pending, or is denied. */
  readonly whenGone: 'wait' | 'deny'
}
