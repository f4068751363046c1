import { createHash } from 'node:crypto'

export interface NamedTool {
  readonly server: string
  readonly tool: string
}

/** Longest tool name that providers accept. */
const maxLength = 64
const hashLength = 8

/**
 * Returns the names of tools for the model, `mcp__SERVER__TOOL`, in the given order. Equal or too long names end with a
 * hash of server and tool, so that each depends only on the set of tools.
 */
export function offeredNames(tools: readonly NamedTool[]): readonly string[] {
  const plain = tools.map(plainName)
  const counts = new Map<string, number>()
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1)
  return tools.map((tool, index) => {
    const name = plain[index] ?? ''
    return name.length > maxLength || (counts.get(name) ?? 0) > 1 ? hashedName(name, tool) : name
  })
}

function plainName({ server, tool }: NamedTool): string {
  return `mcp__${accepted(server)}__${accepted(tool)}`
}

function accepted(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
}

function hashedName(name: string, { server, tool }: NamedTool): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, hashLength)
  return `${name.slice(0, maxLength - hashLength - 1)}_${hash}`
}
