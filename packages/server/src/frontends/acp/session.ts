import { randomUUID } from 'node:crypto'
import {
  type AgentContext,
  methods,
  type PromptRequest,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { ApprovalAnswer, Conversation, TurnResult } from '@parley/client'
import type { Approval } from '@parley/protocol'
import { ConversationUpdates, changedTexts } from './conversation-updates.ts'
import { answerOf, permissionRequest } from './permission.ts'
import { inputOf } from './prompt-input.ts'

/** Session of an ACP client: a conversation, the updates about it and its questions. */
export class AcpSession {
  readonly conversation: Conversation
  readonly updates: ConversationUpdates
  readonly #client: AgentContext
  /** Aborts when the client is gone. */
  readonly #gone: AbortSignal
  readonly #asking: Disposable
  readonly #prompts = new Set<AbortController>()
  readonly #ownMessages = new Set<string>()

  constructor(conversation: Conversation, client: AgentContext, gone: AbortSignal) {
    this.conversation = conversation
    this.#client = client
    this.#gone = gone
    this.updates = new ConversationUpdates({
      conversation,
      send: (update) => this.#notify(update),
      isOwn: (messageId) => messageId !== undefined && this.#ownMessages.has(messageId),
    })
    this.#asking = conversation.onApproval((approval, { signal }) => this.#ask(approval, signal), {
      onError: () => undefined,
    })
  }

  /** Sends a prompt and resolves with the end of its turn, after all of its updates. Waits while another turn runs. */
  async prompt({ prompt }: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const cancelling = new AbortController()
    const messageId = randomUUID()
    this.#prompts.add(cancelling)
    this.#ownMessages.add(messageId)
    try {
      const turn = await this.conversation.send(messageOf(prompt), {
        messageId,
        when: this.conversation.state.core.turn === null ? 'now' : 'queue',
        signal: AbortSignal.any([cancelling.signal, signal]),
      })
      const result = await turn.result
      await this.updates.sent()
      return { stopReason: stopReasonOf(result) }
    } catch (error) {
      if (cancelling.signal.aborted || signal.aborted) return { stopReason: 'cancelled' }
      throw error
    } finally {
      this.#prompts.delete(cancelling)
      this.#ownMessages.delete(messageId)
    }
  }

  /** Cancels every prompt of this session: running ones are interrupted, waiting ones taken back. */
  cancel(): void {
    for (const prompt of this.#prompts) prompt.abort()
  }

  async close(): Promise<void> {
    this.cancel()
    this.#asking[Symbol.dispose]()
    this.updates.stop()
    await this.conversation.close()
  }

  /** Asks the client. A client that leaves without an answer decides nothing; an error of it denies. */
  async #ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { conversation } = this
    const { open, settings } = conversation.state.core
    const item = open[approval.itemId]?.item ?? null
    const files = await changedTexts(conversation, item)
    // The call itself comes first, so that the client can show the question with it.
    await this.updates.sent()
    const params = permissionRequest({
      sessionId: conversation.id,
      approval,
      item,
      files,
      enforcement: settings.enforcement,
    })
    try {
      const answer = await this.#client.request(methods.client.session.requestPermission, params, {
        cancellationSignal: signal,
        stopWaitingOnCancel: true,
      })
      return answerOf(answer, approval)
    } catch (error) {
      if (this.#gone.aborted || signal.aborted) return null
      throw error
    }
  }

  #notify(update: SessionUpdate): Promise<void> {
    return this.#client.notify(methods.client.session.update, { sessionId: this.conversation.id, update })
  }
}

function messageOf(prompt: PromptRequest['prompt']) {
  try {
    return inputOf(prompt)
  } catch (error) {
    throw error instanceof TypeError ? RequestError.invalidParams(undefined, error.message) : error
  }
}

/** Returns how a turn ended. Throws the failure of one that failed. */
function stopReasonOf({ outcome, stopReason, failure }: TurnResult): PromptResponse['stopReason'] {
  if (outcome === 'interrupted') return 'cancelled'
  if (stopReason === 'outputLimit' || stopReason === 'context') return 'max_tokens'
  if (stopReason === 'budget') return 'max_turn_requests'
  if (stopReason === 'filtered') return 'refusal'
  if (outcome === 'completed') return 'end_turn'
  throw new RequestError(-32603, failure?.message ?? 'The turn failed.', { code: failure?.code ?? 'failed' })
}
