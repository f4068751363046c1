import hljs, { type TokenNode } from 'highlight.js/lib/core'
import type { Highlight, Line, Span, Tone } from '../text/span.ts'
import { languages } from './languages.ts'

/** Largest piece of code that is coloured: lines, and characters of all lines and of one. */
const limits = { lines: 2_000, characters: 120_000, line: 2_000 }

/** Returns lines of code in the colours of their language; null for an unknown language and for very large code. */
export const highlightCode: Highlight = (lines, language) => {
  const name = nameOf(language)
  if (name === null || lines.length > limits.lines || lines.some(({ length }) => length > limits.line)) return null
  const code = lines.join('\n')
  if (code.length > limits.characters) return null
  register(name)
  const { _emitter: emitter } = hljs.highlight(code, { language: name, ignoreIllegals: true })
  const coloured = linesOf(spansOf(emitter.rootNode, null))
  const isSame = coloured.length === lines.length && coloured.every((line, index) => textOf(line) === lines[index])
  return isSame ? coloured : null
}

const names: ReadonlyMap<string, string> = new Map(
  Object.entries(languages).flatMap(([name, { names: others }]) =>
    [name, ...others.split(' ')].map((each) => [each, name] as const),
  ),
)

function nameOf(language: string): string | null {
  return language === '' ? null : (names.get(language.toLowerCase()) ?? null)
}

function register(name: string): void {
  const language = languages[name]
  if (language === undefined || hljs.getLanguage(name) !== undefined) return
  hljs.registerLanguage(name, language.grammar)
  for (const part of language.within ?? []) register(part)
}

/** Returns the texts of a node in order, each with the tone of the innermost scope that has one. */
function spansOf({ scope = '', children }: TokenNode, outer: Tone | null): readonly Span[] {
  const tone = plain.test(scope) ? null : (toneOf(scope) ?? outer)
  return children.flatMap((child): readonly Span[] => {
    if (typeof child !== 'string') return spansOf(child, tone)
    return tone === null ? [{ text: child }] : [{ text: child, tone }]
  })
}

/** Scope of code within a string. */
const plain = /^subst\b/

const tones: readonly (readonly [scope: RegExp, tone: Tone])[] = [
  [/^(?:comment|quote|doctag)\b/, 'code-comment'],
  [/^(?:string|regexp|char|link|code)\b/, 'code-string'],
  [/^(?:keyword|meta|name|selector|section|bullet|tag|variable\.language|type)\b/, 'code-keyword'],
  [/^(?:number|literal|symbol)\b/, 'code-number'],
  [/^addition\b/, 'good'],
  [/^deletion\b/, 'bad'],
]

function toneOf(scope: string): Tone | undefined {
  return tones.find(([pattern]) => pattern.test(scope))?.[1]
}

/** Splits spans at line ends, and joins neighbours of the same tone. */
function linesOf(spans: readonly Span[]): readonly Line[] {
  const lines: Span[][] = [[]]
  for (const span of spans) {
    for (const [index, text] of span.text.split('\n').entries()) {
      if (index > 0) lines.push([])
      const line = lines.at(-1)
      const last = line?.at(-1)
      if (line === undefined || text === '') continue
      if (last !== undefined && last.tone === span.tone) line[line.length - 1] = { ...last, text: last.text + text }
      else line.push({ ...span, text })
    }
  }
  return lines
}

function textOf(line: Line): string {
  return line.map(({ text }) => text).join('')
}
