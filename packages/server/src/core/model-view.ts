import type { ConversationEvent, EventOf, Item } from '@parley/protocol'
import { isCall } from '@parley/protocol'
import type { ModelCall, ModelEntry } from './model-request.ts'

/**
 * The second fold over the log: what the model sees. Blocks are appended in log order and a block's entries keep
 * their identity, so that the serialised prefix of a request can be cached by entry.
 */
export interface ModelView {
  /** Folds one event; the events must come in log order. */
  apply(event: ConversationEvent): void
  /**
   * The messages of the next request. Valid for a log cut at any line: each call has exactly one result, in call
   * order. `readText` gives a side file's content; a missing one becomes a fixed placeholder.
   */
  entries(readText: (file: string) => string | null): readonly ModelEntry[]
  /** What the model wrote for a call item, null for an item that is not a call of a complete response. */
  callOf(itemId: string): ModelCall | null
  readonly context: EventOf<'context.set'> | null
}

type Block =
  | { readonly kind: 'entry'; readonly entry: ModelEntry }
  | { readonly kind: 'environment'; readonly file: string }
  | { readonly kind: 'response'; readonly entry: ModelEntry; readonly calls: AnsweredCall[] }

interface AnsweredCall {
  readonly call: ModelCall
  readonly itemId: string
  result: ModelEntry | null
}

const cutHere = 'Not run: the conversation was cut here.'
const missingFile = '(A file of this conversation is missing here.)'

export function createModelView(): ModelView {
  const blocks: Block[] = []
  const calls = new Map<string, AnsweredCall>()
  const environments = new Map<string, ModelEntry>()
  let context: EventOf<'context.set'> | null = null
  /** Finished message texts of a response that has not arrived whole. */
  let draft: string[] = []

  function apply(event: ConversationEvent): void {
    switch (event.type) {
      case 'context.set':
        // Said where it changed rather than replaced, so that the prefix before it stays cached.
        if (context?.environment !== event.environment) blocks.push({ kind: 'environment', file: event.environment })
        context = event
        return
      case 'model.requested':
        draft = []
        return
      case 'model.responded':
        draft = []
        blocks.push(responseBlock(event))
        return
      case 'item.completed':
        return addItem(event.item)
      case 'turn.ended':
        return keepDraft()
      default:
        return
    }
  }

  function responseBlock(event: EventOf<'model.responded'>): Block {
    const answered = event.calls.map(({ itemId, callId, name, arguments: text }): AnsweredCall => {
      const call = { itemId, call: { callId, name, arguments: text }, result: null }
      calls.set(itemId, call)
      return call
    })
    const { adapter, parts, text } = event
    return {
      kind: 'response',
      entry: { kind: 'response', adapter, parts, text, calls: answered.map(({ call }) => call) },
      calls: answered,
    }
  }

  function addItem(item: Item): void {
    const answered = isCall(item) ? calls.get(item.id) : undefined
    if (answered !== undefined)
      answered.result = resultEntry(answered.call, modelTextOf(item) ?? cutHere, item.status !== 'completed')
    else if (item.type === 'userMessage') blocks.push({ kind: 'entry', entry: { kind: 'user', content: item.content } })
    else if (item.type === 'shellCommand')
      blocks.push({ kind: 'entry', entry: userText(item.modelText ?? `I ran \`${item.command}\` myself.`) })
    else if (item.type === 'agentMessage') draft.push(item.text)
  }

  /** What the model had said when its answer was cut off for good: it should know that the user saw it. */
  function keepDraft(): void {
    const text = draft.join('\n\n')
    draft = []
    if (text !== '')
      blocks.push({ kind: 'entry', entry: { kind: 'response', adapter: 'none', parts: [], text, calls: [] } })
  }

  function entriesOf(block: Block, readText: (file: string) => string | null): readonly ModelEntry[] {
    switch (block.kind) {
      case 'entry':
        return [block.entry]
      case 'environment':
        return [environmentEntry(block.file, readText)]
      case 'response':
        return [block.entry, ...block.calls.map(({ call, result }) => result ?? resultEntry(call, cutHere, true))]
    }
  }

  function environmentEntry(file: string, readText: (file: string) => string | null): ModelEntry {
    const entry = environments.get(file) ?? userText(readText(file) ?? missingFile)
    environments.set(file, entry)
    return entry
  }

  return {
    apply,
    entries: (readText) => blocks.flatMap((block) => entriesOf(block, readText)),
    callOf: (itemId) => calls.get(itemId)?.call ?? null,
    get context() {
      return context
    },
  }
}

function modelTextOf(item: Item): string | undefined {
  return 'modelText' in item ? item.modelText : undefined
}

function userText(text: string): ModelEntry {
  return { kind: 'user', content: [{ type: 'text', text }] }
}

function resultEntry({ callId }: ModelCall, text: string, isError: boolean): ModelEntry {
  return { kind: 'result', callId, text, isError }
}
