import type { ToolSpec } from '@parley/models'

/** Most texts that are kept: the tools of MCP servers differ from one conversation to the next. */
const mostTexts = 16

/** Tools by their text, the newest last: conversations that are offered the same have them in memory once. */
const known = new Map<string, { readonly text: string; tools: readonly ToolSpec[] | null }>()

/** Returns the one copy of a text that is kept for all conversations. */
export function sharedText(text: string): string {
  return entryOf(text).text
}

/** Reads the stored tools; an empty list for a damaged file, since providers reject a request with half of them. */
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
  for (const oldest of known.keys()) if (known.size > mostTexts) known.delete(oldest)
  return entry
}

function parseTools(text: string): readonly ToolSpec[] {
  const specs: unknown = JSON.parse(text)
  return Array.isArray(specs) ? specs.filter(isToolSpec) : []
}

function isToolSpec(value: unknown): value is ToolSpec {
  return typeof value === 'object' && value !== null && 'name' in value && 'parameters' in value
}
