import type { ModelCall } from '@parley/models'
import { type CallItem, type ConversationState, type Item, type ItemId, isCall } from '@parley/protocol'
import type { PreparedCall, Tool } from '../../tools/tool.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { TurnContext, TurnModules } from '../turn/turn-context.ts'

/** Returns the item that shows a call before anything of it has run. */
export function proposedItem(modules: TurnModules, state: ConversationState, call: ModelCall): Item {
  const id = modules.ids.item()
  const understood = understandCall(modules, call)
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

/** Tool and checked arguments of a model's call, or a sentence for the model about what is wrong with it. */
type ResolvedCall = { readonly tool: Tool; readonly prepared: PreparedCall } | { readonly problem: string }

/** Finds the tool and checks the arguments of a model's call. */
export function understandCall({ tools, redaction }: TurnModules, call: ModelCall): ResolvedCall {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) {
    return { problem: `There is no tool "${call.name}". The tools are: ${tools.map(({ name }) => name).join(', ')}.` }
  }
  const args = parseArguments(call.arguments)
  if (args === null) {
    const beginning = redaction.excerpt(call.arguments.slice(0, quotedCharacters))
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

/** Keeps a call with a secret in memory, to run it exactly; its log has marks in place of the secret. */
export function keepExact({ conversation, modules }: TurnContext, itemId: ItemId, call: ModelCall): void {
  modules.memory.keepCall(itemId, call, (known) => conversation.state.core.open[known] !== undefined)
}

/** Marks an item as lost with this process: its exact call is nowhere on disk. */
export function unrestorable(item: Item): Item {
  return isCall(item) ? { ...item, restorable: false } : item
}

/** Returns the text the model wrote (of a patch its text, else its arguments); null for a call without a secret. */
export function exactText({ modules }: TurnContext, item: CallItem): string | null {
  const exact = modules.memory.exactCall(item.id)
  if (exact === undefined) return null
  if (item.type !== 'fileChange') return exact.arguments
  const written: unknown = JSON.parse(exact.arguments)
  const isPatch = typeof written === 'object' && written !== null && 'patch' in written
  return isPatch && typeof written.patch === 'string' ? written.patch : exact.arguments
}

/** Returns the call as the model made it; null where its secret was lost with an earlier process. */
export function exactCall({ conversation, modules }: TurnContext, item: CallItem): ModelCall | null {
  const exact = modules.memory.exactCall(item.id)
  if (exact !== undefined || item.restorable === false) return exact ?? null
  return conversation.view.callOf(item.id)
}
