import type { Wire } from '@parley/testkit'

/** Our wires, and packages of the AI SDK. */
export type WireName = Wire | 'plugin'

/** Message of a request, in words that all wires share. */
export interface Said {
  readonly role: 'user' | 'model'
  readonly texts: readonly string[]
  readonly calls: readonly SaidCall[]
  readonly results: readonly { readonly id: string; readonly text: string; readonly isFreeform?: boolean }[]
}

interface SaidCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
  /** True for a call of a freeform tool, whose result has a type of its own. */
  readonly isFreeform?: boolean
}

const none = { texts: [], calls: [], results: [] } as const

/** Reads the messages of a request as the provider would. Throws where the provider would reject it. */
export function readRequest(wire: WireName, body: string): readonly Said[] {
  return readers[wire](body)
}

const readers: Readonly<Record<WireName, (body: string) => readonly Said[]>> = {
  responses: readItems,
  chat: readChat,
  anthropic: readMessages,
  gemini: readContents,
  plugin: readPrompt,
}

function readItems(body: string): readonly Said[] {
  interface Item {
    readonly type: string
    readonly role: string
    readonly content: readonly { readonly text?: string }[]
    readonly call_id: string
    readonly name: string
    readonly arguments: string
    /** Text that a freeform tool is called with. */
    readonly input: string
    readonly output: string | readonly { readonly text?: string }[]
  }
  const { input }: { input: readonly Item[] } = JSON.parse(body)
  return input.flatMap((item): Said[] => {
    const texts = (item.content ?? []).flatMap(({ text }) => text ?? [])
    if (item.type === 'message') return [{ ...none, role: sideOf(item.role), texts }]
    const call = { id: item.call_id, name: item.name }
    const isFreeform = item.type.startsWith('custom_tool_call')
    if (item.type === 'custom_tool_call')
      return [{ ...none, role: 'model', calls: [{ ...call, input: { patch: item.input }, isFreeform }] }]
    if (item.type === 'function_call')
      return [{ ...none, role: 'model', calls: [{ ...call, input: JSON.parse(item.arguments) }] }]
    if (!item.type.endsWith('_call_output')) return []
    const { output } = item
    const text = typeof output === 'string' ? output : output.flatMap((part) => part.text ?? []).join('')
    return [{ ...none, role: 'user', results: [{ id: item.call_id, text, isFreeform }] }]
  })
}

function sideOf(role: string): Said['role'] {
  return role === 'assistant' || role === 'model' ? 'model' : 'user'
}

function readChat(body: string): readonly Said[] {
  interface Call {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }
  interface Message {
    readonly role: string
    readonly content: string | readonly { readonly text?: string }[] | null
    readonly tool_call_id: string
    readonly tool_calls?: readonly Call[]
  }
  const { messages }: { messages: readonly Message[] } = JSON.parse(body)
  return messages.slice(1).map((message): Said => {
    const { role, content } = message
    const texts = typeof content === 'string' ? [content] : (content ?? []).flatMap(({ text }) => text ?? [])
    if (role === 'tool') return { ...none, role: 'user', results: [{ id: message.tool_call_id, text: texts.join('') }] }
    const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
      id,
      name: called.name,
      input: JSON.parse(called.arguments),
    }))
    return { ...none, role: sideOf(role), texts, calls }
  })
}

function readMessages(body: string): readonly Said[] {
  interface Block {
    readonly type: string
    readonly text: string
    readonly id: string
    readonly name: string
    readonly input: unknown
    readonly tool_use_id: string
    readonly content?: string | readonly { readonly text?: string }[]
  }
  const { messages }: { messages: readonly { role: string; content: readonly Block[] }[] } = JSON.parse(body)
  return messages.map(({ role, content }, index): Said => {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) throw new Error(`message ${index} is of the wrong side`)
    if (content.length === 0) throw new Error(`message ${index} is empty`)
    const of = (type: string) => content.filter((block) => block.type === type)
    return {
      role: sideOf(role),
      texts: of('text').map(({ text }) => text),
      calls: of('tool_use').map(({ id, name, input }) => ({ id, name, input })),
      results: of('tool_result').map(({ tool_use_id: id, content: found = '' }) => ({
        id,
        text: typeof found === 'string' ? found : found.flatMap((block) => block.text ?? []).join(''),
      })),
    }
  })
}

/** Reads contents, where a result answers the call in its place, by name, with an id only if the call has one. */
function readContents(body: string): readonly Said[] {
  interface Part {
    readonly text?: string
    readonly thought?: true
    readonly functionCall?: { readonly id?: string; readonly name: string; readonly args: unknown }
    readonly functionResponse?: {
      readonly id?: string
      readonly name: string
      readonly response: { readonly output?: string; readonly error?: string }
    }
  }
  const { contents }: { contents: readonly { role: string; parts: readonly Part[] }[] } = JSON.parse(body)
  let made = 0
  let open: Said['calls'] = []
  return contents.map(({ role, parts }): Said => {
    const answers = parts.flatMap((part) => part.functionResponse ?? [])
    if (answers.length !== open.length) throw new Error(`${answers.length} results for ${open.length} calls`)
    const results = answers.map(({ name, id, response }, nth) => {
      const call = open[nth]
      if (call?.name !== name || (id !== undefined && id !== call.id))
        throw new Error(`result ${nth} is of another call`)
      return { id: call.id, text: response.output ?? response.error ?? '' }
    })
    open = parts.flatMap(({ functionCall: called }) => {
      made += 1
      return called === undefined ? [] : [{ id: called.id ?? `made-${made}`, name: called.name, input: called.args }]
    })
    const texts = parts.flatMap(({ text, thought }) => (text && thought !== true ? [text] : []))
    return { role: sideOf(role), texts, calls: open, results }
  })
}

function readPrompt(body: string): readonly Said[] {
  interface Part {
    readonly type: string
    readonly text: string
    readonly toolCallId: string
    readonly toolName: string
    readonly input: unknown
    readonly output: { readonly value: string }
  }
  const { prompt }: { prompt: readonly { role: string; content: readonly Part[] }[] } = JSON.parse(body)
  return prompt.slice(1).map(({ role, content }): Said => {
    if (content.length === 0) throw new Error('a message is empty')
    const of = (type: string) => content.filter((part) => part.type === type)
    return {
      role: sideOf(role),
      texts: of('text').map(({ text }) => text),
      calls: of('tool-call').map(({ toolCallId: id, toolName: name, input }) => ({ id, name, input })),
      results: of('tool-result').map(({ toolCallId: id, output }) => ({ id, text: output.value })),
    }
  })
}
