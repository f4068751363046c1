import type { CallKind } from '../schema/call-parts.ts'
import type { CallItem, ItemOf } from '../schema/item.ts'

/** Returns server and tool of a call from its facts, which hold the exact names; before they exist, from the model's name. */
export function toolOwner({ tool: name, facts }: Pick<ItemOf<'toolCall'>, 'tool' | 'facts'>): {
  /** Name of the MCP server, or `parley` for a tool of ours. */
  readonly server: string
  readonly tool: string
} {
  const { server, name: ownName } = facts ?? {}
  if (facts?.['kind'] === 'mcp' && typeof server === 'string' && typeof ownName === 'string')
    return { server, tool: ownName }
  const [, of, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  return of === undefined || tool === undefined ? { server: 'parley', tool: name } : { server: of, tool }
}

/** Returns the arguments of a call as a value; as text where they are no JSON. */
export function argumentsOf({ input }: Pick<ItemOf<'toolCall'>, 'input'>): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

/** Tests if a call only sets the plan, which has an event of its own. */
export function setsPlan({ tool }: Pick<ItemOf<'toolCall'>, 'tool'>): boolean {
  return tool === 'update_plan'
}

/** Returns the kind of a call; of one from a log without kinds, what its type says. */
export function callKindOf({ kind, type, readOnly }: Pick<CallItem, 'kind' | 'type' | 'readOnly'>): CallKind {
  if (kind !== undefined) return kind
  if (type === 'commandExecution') return 'execute'
  if (type === 'fileChange') return 'edit'
  return readOnly === true ? 'read' : 'other'
}
