import type { ModelCall } from '@parley/models'
import type { CallItem, ConversationState, Item } from '@parley/protocol'
import { isCall } from '@parley/protocol'
import type { PreparedCall, Tool } from '../../tools/tool.ts'
import type { Bench } from '../bench.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { Run } from '../run.ts'

/** What a model's call comes to: a tool and understood arguments, or a sentence that tells the model what is wrong. */
type UnderstoodCall = { readonly tool: Tool; readonly prepared: PreparedCall } | { readonly problem: string }

export function understandCall({ tools, redaction }: Bench, call: ModelCall): UnderstoodCall {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) {
    return { problem: `There is no tool "${call.name}". The tools are: ${tools.map(({ name }) => name).join(', ')}.` }
  }
  const args = parseArguments(call.arguments)
  if (args === null) {
    const beginning = redaction.beginning(call.arguments.slice(0, quotedCharacters))
    return { problem: `The arguments are not valid JSON. They began: ${beginning}` }
  }
  const prepared = tool.prepare(args.value)
  return 'problem' in prepared
    ? { problem: `The arguments of ${tool.name} are not right:\n${prepared.problem}` }
    : { tool, prepared }
}

const quotedCharacters = 200

function parseArguments(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text === '' ? '{}' : text) }
  } catch {
    return null
  }
}

/** The item that shows a call before anything of it has run. */
export function proposedItem(bench: Bench, state: ConversationState, call: ModelCall): Item {
  const id = bench.ids.item()
  const understood = understandCall(bench, call)
  if ('problem' in understood) {
    return {
      id,
      type: 'toolCall',
      status: 'proposed',
      tool: call.name,
      title: call.name,
      text: '',
      input: call.arguments,
      readOnly: true,
    }
  }
  const { tool, prepared } = understood
  const readOnly = tool.readOnly ? { readOnly: true as const } : {}
  return { id, status: 'proposed', tool: tool.name, ...readOnly, ...prepared.describe(workspaceOf(state)) }
}

/** Only in memory: what runs is exactly this, and what is kept of it has marks in place of its secrets. */
export function keepExact({ conversation, bench }: Run, itemId: string, call: ModelCall): void {
  const { secretCalls } = bench
  for (const known of secretCalls.keys())
    if (conversation.state.core.open[known] === undefined) secretCalls.delete(known)
  secretCalls.set(itemId, call)
}

export function unrestorable(item: Item): Item {
  return isCall(item) ? { ...item, restorable: false } : item
}

/** What the model wrote, of a patch its text and else its arguments; null of a call without a secret in it. */
export function exactText({ bench }: Run, item: CallItem): string | null {
  const exact = bench.secretCalls.get(item.id)
  if (exact === undefined) return null
  if (item.type !== 'fileChange') return exact.arguments
  const written: unknown = JSON.parse(exact.arguments)
  const isPatch = typeof written === 'object' && written !== null && 'patch' in written
  return isPatch && typeof written.patch === 'string' ? written.patch : exact.arguments
}

/** The call as the model made it; null where nobody knows it, or where a secret in it is not known any more. */
export function exactCall({ conversation, bench }: Run, item: CallItem): ModelCall | null {
  const exact = bench.secretCalls.get(item.id)
  if (exact !== undefined || item.restorable === false) return exact ?? null
  return conversation.view.callOf(item.id)
}
