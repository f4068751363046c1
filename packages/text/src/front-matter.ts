/** Fields at the head of a Markdown file, and the text below them. */
export interface FrontMatter {
  /** Values by key, without nested maps. */
  readonly fields: ReadonlyMap<string, FieldValue>
  readonly body: string
}

export type FieldValue = string | readonly string[]

const fence = /^---[ \t]*$/

/**
 * Reads the front matter of a Markdown file, one `key: value` a line. A colon in a plain value belongs to the value.
 * Returns a problem for unreadable front matter.
 */
export function readFrontMatter(text: string): FrontMatter | { readonly problem: string } {
  const lines = text.replace(/^\u{feff}/u, '').split(/\r?\n/)
  if (!fence.test(lines[0] ?? '')) return { fields: new Map(), body: text }
  const end = lines.findIndex((line, index) => index > 0 && fence.test(line))
  if (end < 0) return { problem: 'its front matter begins with --- and has no end' }
  const fields = readFields(lines.slice(1, end))
  return 'problem' in fields
    ? fields
    : {
        fields: fields.fields,
        body: lines
          .slice(end + 1)
          .join('\n')
          .replace(/^\n+/, ''),
      }
}

function readFields(lines: readonly string[]): Pick<FrontMatter, 'fields'> | { readonly problem: string } {
  const fields = new Map<string, FieldValue>()
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    at += 1
    if (isBlank(line)) continue
    const found = /^([A-Za-z0-9_-]+):(?:[ \t]+(.*))?$/.exec(line)
    const [, key = '', rest = ''] = found ?? []
    if (found === null) return { problem: `line ${at + 1} is no \`key: value\` of its front matter` }
    if (fields.has(key)) return { problem: `its front matter has ${key} twice` }
    const below = indentedFrom(lines, at)
    at += below.length
    const value = readValue(rest.trim(), below)
    if (value === null) return { problem: `the quotes of ${key} in its front matter do not end` }
    if (value !== undefined) fields.set(key, value)
  }
  return { fields }
}

function isBlank(line: string): boolean {
  return /^\s*(?:#.*)?$/.test(line)
}

/** Returns the lines that belong to a key: indented ones, items of a list, and empty ones between them. */
function indentedFrom(lines: readonly string[], start: number): readonly string[] {
  const end = lines.findIndex((line, index) => index >= start && !/^(?:[ \t]|- |-$|$)/.test(line))
  return lines.slice(start, end < 0 ? lines.length : end)
}

/** Returns the value of a key; undefined for a nested map, null for quotes without an end. */
function readValue(rest: string, below: readonly string[]): FieldValue | null | undefined {
  const block = /^([|>])[-+0-9]*$/.exec(rest)?.[1]
  if (block !== undefined) return blockText(below, block === '>')
  const more = below.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'))
  if (rest === '' && more.length > 0 && more.every((line) => /^-(?: |$)/.test(line)))
    return more.map((line) => scalar(line.slice(1).trim()) ?? '')
  if (rest === '' && more.length > 0) return undefined
  if (/^\[.*\]$/.test(rest))
    return rest
      .slice(1, -1)
      .split(',')
      .map((item) => scalar(item.trim()) ?? '')
      .filter((item) => item !== '')
  return scalar([rest, ...more].join(' '))
}

function blockText(below: readonly string[], isFolded: boolean): string {
  const indents = below.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const indent = indents.reduce((least, one) => Math.min(least, one), indents[0] ?? 0)
  const lines = below.map((line) => line.slice(indent).trimEnd())
  const text = lines.join('\n').trim()
  return isFolded ? text.replace(/\n+/g, (ends) => (ends.length === 1 ? ' ' : ends.slice(1))) : text
}

/** Returns a plain or quoted value; null for quotes without an end. */
function scalar(text: string): string | null {
  const [quote = ''] = text
  if (quote !== '"' && quote !== "'") return text.replace(/\s+#.*$/, '')
  const inside = (quote === '"' ? /^"((?:[^"\\]|\\.)*)"\s*(?:#.*)?$/ : /^'((?:[^']|'')*)'\s*(?:#.*)?$/).exec(text)?.[1]
  if (inside === undefined) return null
  return quote === "'"
    ? inside.replaceAll("''", "'")
    : inside.replace(/\\(.)/g, (_, mark: string) => escapes[mark] ?? mark)
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '' }
