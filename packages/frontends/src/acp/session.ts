import { randomUUID } from 'node:crypto'
import {
  type AgentContext,
  type ClientCapabilities,
  type McpServer,
  methods,
  type PromptRequest,
  type PromptResponse,
  type ReadTextFileResponse,
  RequestError,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { ApprovalAnswer, Conversation, Parley, TurnResult } from '@parley/client'
import type { EditorServers } from '@parley/engine'
import type { Approval, FoundPart, SettingsPatch } from '@parley/protocol'
import type { CallersLimits } from '../callers-limits.ts'
import { currentUpdates, sendLatest, settingsUpdates } from './current-updates.ts'
import type { OfferedTexts } from './offered-texts.ts'
import { inputOf } from './prompt-input.ts'
import { askClient } from './questions/ask-client.ts'
import { createSessionServers, type SessionServers } from './servers/session-servers.ts'
import type { OfferedModels } from './settings/model-options.ts'
import {
  type AnnouncedSettings,
  announcedSettings,
  modePatch,
  optionPatch,
  type SettingsInForce,
} from './settings/session-settings.ts'
import { typedCommandOf } from './slash-commands.ts'
import { showsTerminals } from './updates/command-terminals.ts'
import { ConversationUpdates } from './updates/conversation-updates.ts'

export interface SessionClient {
  readonly client: AgentContext
  readonly capabilities: ClientCapabilities
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal
  /** Tool servers that the client hands over. */
  readonly mcpServers: readonly McpServer[]
}

/** Parts of the engine that sessions work with. */
export interface SessionServices {
  readonly parley: Parley
  readonly models: OfferedModels
  readonly texts: OfferedTexts
  readonly servers: EditorServers
  readonly limits: CallersLimits
}

/** Events that may change title, usage or settings. */
const mayChangeValues: ReadonlySet<string> = new Set([
  'conversation.configured',
  'conversation.renamed',
  'turn.started',
  'usage.updated',
  'model.responded',
  'context.compacted',
  'context.restored',
])

/** Session of an ACP client: a conversation, the updates about it and its questions. */
export class AcpSession {
  readonly conversation: Conversation
  readonly updates: ConversationUpdates
  readonly #client: AgentContext
  readonly #capabilities: ClientCapabilities
  readonly #gone: AbortSignal
  readonly #limits: CallersLimits
  readonly #parley: Parley
  readonly #models: OfferedModels
  readonly #sendLatest: () => void
  /** Skills and commands of the session's folder, as they were listed last. */
  #parts: readonly FoundPart[] = []
  readonly #offered: Disposable | null
  readonly #servers: SessionServers
  readonly #unsubscribe: readonly (() => void)[]
  readonly #asking: Disposable
  readonly #prompts = new Set<AbortController>()
  readonly #ownMessages = new Set<string>()

  constructor(
    conversation: Conversation,
    { client, capabilities, gone, mcpServers: given }: SessionClient,
    { parley, models, texts, servers, limits }: SessionServices,
  ) {
    this.conversation = conversation
    this.#client = client
    this.#capabilities = capabilities
    this.#gone = gone
    this.#limits = limits
    this.#parley = parley
    this.#models = models
    const notify = (update: SessionUpdate) => this.#notify(update)
    const current = () => currentUpdates(conversation.state.core, this.#inForce(), this.#parts)
    this.#sendLatest = sendLatest(settingsUpdates(this.#inForce()), current, notify)
    void this.#listParts()
    this.#unsubscribe = [
      conversation.subscribe((envelope) => {
        if (envelope === null || mayChangeValues.has(envelope.event.type)) this.#sendLatest()
      }),
      models.subscribe(this.#sendLatest),
    ]
    this.updates = new ConversationUpdates({
      conversation,
      send: notify,
      isOwn: (messageId) => messageId !== undefined && this.#ownMessages.has(messageId),
      showsTerminals: showsTerminals(capabilities),
    })
    // A conversation that is live in another process has its tools there.
    const isAsked = capabilities.fs?.readTextFile === true && !conversation.attached
    this.#offered = isAsked ? texts.offer(conversation.id, (path, signal) => this.#readText(path, signal)) : null
    this.#servers = createSessionServers({ conversationId: conversation.id, given, servers, client, notify })
    this.#asking = conversation.onApproval((approval, { signal }) => this.#ask(approval, signal), {
      onError: () => undefined,
    })
  }

  /** Sends a prompt and settles with the end of its turn, after all of its updates. Waits while another turn runs. */
  async prompt({ prompt }: PromptRequest, cancelled: AbortSignal): Promise<PromptResponse> {
    const cancelling = new AbortController()
    const signal = AbortSignal.any([cancelling.signal, cancelled])
    this.#prompts.add(cancelling)
    try {
      const stopReason = await this.#answer(prompt, signal)
      return { stopReason: signal.aborted ? 'cancelled' : stopReason }
    } catch (error) {
      if (signal.aborted) return { stopReason: 'cancelled' }
      throw error
    } finally {
      this.#prompts.delete(cancelling)
    }
  }

  /** Waits for updates of a failed turn, too: a client takes updates after its end for another turn's. */
  async #answer(prompt: PromptRequest['prompt'], signal: AbortSignal): Promise<PromptResponse['stopReason']> {
    try {
      return (await this.#runCommand(prompt, signal)) ?? (await this.#takeTurn(prompt, signal))
    } finally {
      await this.updates.sent()
    }
  }

  /** Lists the skills and commands of the folder, and announces them if they have changed. */
  async #listParts(): Promise<void> {
    const { meta, settings } = this.conversation.state.core
    const { environment } = settings
    const folder = { cwd: meta.cwd, ...(environment === undefined ? {} : { environment }) }
    const listed = await this.#parley.request('skill/list', folder).catch(() => null)
    if (listed === null || listed.parts.length + this.#parts.length === 0) return
    this.#parts = listed.parts
    this.#sendLatest()
  }

  /** Runs the slash command that a prompt is; resolves to null for any other prompt. */
  async #runCommand(prompt: PromptRequest['prompt'], signal: AbortSignal): Promise<'end_turn' | null> {
    const typed = typedCommandOf(prompt)
    if (typed === null) return null
    const { conversation } = this
    const text = await typed.command.run({ conversation, parley: this.#parley, signal }, typed.argument)
    const content = { type: 'text' as const, text }
    if (text !== '') await this.#notify({ sessionUpdate: 'agent_message_chunk', content, messageId: randomUUID() })
    return 'end_turn'
  }

  async #takeTurn(prompt: PromptRequest['prompt'], signal: AbortSignal): Promise<PromptResponse['stopReason']> {
    const messageId = randomUUID()
    await this.#servers.settle(signal)
    signal.throwIfAborted()
    this.#ownMessages.add(messageId)
    try {
      const when = this.conversation.state.core.turn === null ? 'now' : 'queue'
      const turn = await this.conversation.send(messageOf(prompt), { messageId, when, signal })
      void this.#listParts()
      return stopReasonOf(await turn.result)
    } finally {
      this.#ownMessages.delete(messageId)
    }
  }

  /** Cancels every prompt of this session: running ones are interrupted, waiting ones taken back. */
  cancel(): void {
    for (const prompt of this.#prompts) prompt.abort()
  }

  /** Begins to send updates. Values that the answer to the opening lacked follow once the answer is on its way. */
  begin(): void {
    this.updates.start()
    setImmediate(() => {
      this.#sendLatest()
      this.#servers.begin().catch(() => undefined)
    })
  }

  /** Returns modes and options as the answer to an opening has them. */
  settings(): AnnouncedSettings {
    return announcedSettings(this.#inForce())
  }

  /** Throws for a mode that is not offered, and `aboveCeiling` for one above a ceiling. */
  setMode(modeId: string): Promise<void> {
    return this.#configure(modePatch(modeId, this.#inForce()))
  }

  /** Throws for a value that is not offered, and `aboveCeiling` for one above a ceiling. */
  setOption(configId: string, value: unknown): Promise<void> {
    return this.#configure(optionPatch(configId, value, this.#inForce()))
  }

  #inForce(): SettingsInForce {
    const { state, summary } = this.conversation
    const theirs = summary.ceiling === undefined ? [] : [summary.ceiling.sandbox]
    const ceilings = [this.#limits.ceiling().sandbox, ...theirs]
    return { settings: state.core.settings, ceilings, models: this.#models.known }
  }

  /** Checks the limits of this program, too: the conversation may live in one that was started for more. */
  async #configure(patch: SettingsPatch | null): Promise<void> {
    if (patch === null) return
    await this.#limits.assertOverrides(patch, this.conversation.state.core.settings)
    await this.conversation.configure(patch)
  }

  async close(): Promise<void> {
    this.cancel()
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#asking[Symbol.dispose]()
    this.#offered?.[Symbol.dispose]()
    this.updates.stop()
    await this.#servers.close()
    await this.conversation.close()
  }

  /**
   * Asks the client, once it has the call itself. A client that leaves decides nothing; an error of the client denies.
   */
  async #ask(approval: Approval, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { conversation } = this
    await this.updates.sent()
    try {
      return await askClient(approval, {
        conversation,
        client: this.#client,
        capabilities: this.#capabilities,
        signal,
        ceiling: this.#limits.ceiling().sandbox,
      })
    } catch (error) {
      if (this.#gone.aborted || signal.aborted) return null
      throw error
    }
  }

  async #readText(path: string, signal: AbortSignal): Promise<string> {
    const params = { sessionId: this.conversation.id, path }
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true }
    const { content }: ReadTextFileResponse = await this.#client.request(
      methods.client.fs.readTextFile,
      params,
      options,
    )
    if (typeof content !== 'string') throw new TypeError('the editor gave no text')
    return content
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
