import type { ModelCall } from '@parley/models'
import type { ConversationState, Item } from '@parley/protocol'
import type { PreparedCall, Tool, Workspace } from '../../tools/tool.ts'
import type { TurnModules } from '../turn/turn-context.ts'

/** What a model's call comes to: a tool and understood arguments, or a sentence that tells the model what is wrong. */
export type UnderstoodCall = { readonly tool: Tool; readonly prepared: PreparedCall } | { readonly problem: string }

export function understandCall({ tools, redaction }: TurnModules, call: ModelCall): UnderstoodCall {
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

/** The item that shows a call before anything of it has run. */
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

export function workspaceOf({ core }: ConversationState): Workspace {
  return { cwd: core.meta.cwd, roots: [core.meta.cwd, ...core.settings.writableRoots] }
}
