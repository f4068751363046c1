import type { ToolSpec } from '@parley/models'

/** Texts that are kept at most: the tools of MCP servers differ from one conversation to the next. */
const most = 16

/** Tools by their text, the newest last: conversations that are offered the same have them in memory once. */
const known = new Map<string, { readonly text: string; tools: readonly ToolSpec[] | null }>()

/** Returns the text that an equal one was given for before. */
export function sharedText(text: string): string {
  return entryOf(text).text
}

/** Reads the stored tools; none when the file is damaged, since providers reject a request with half of them. */
export function readTools(text: string | null): readonly ToolSpec[] {
  if (text === null) return []
  const entry = entryOf(text)
  entry.tools ??= parseTools(text)
  return entry.tools
}

function entryOf(text: string) {
  const entry = known.get(text) ?? { text, tools: null }
  known.delete(text)
  known.set(text, entry)
  for (const oldest of known.keys()) if (known.size > most) known.delete(oldest)
  return entry
}

function parseTools(text: string): readonly ToolSpec[] {
  const specs: unknown = JSON.parse(text)
  return Array.isArray(specs) ? specs.filter(isToolSpec) : []
}

function isToolSpec(value: unknown): value is ToolSpec {
  return typeof value === 'object' && value !== null && 'name' in value && 'parameters' in value
}
