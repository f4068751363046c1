import type { MarkedToken } from 'marked'
import { stripEffects } from '../text/control-characters.ts'
import type { Line, Span, Style } from '../text/span.ts'
import { known } from './lexer.ts'

/** Inline tokens as lines of spans: line ends in the source are kept, since models write them to be seen. */
export function inlineLines(tokens: readonly MarkedToken[], style: Style): readonly Line[] {
  const lines: Span[][] = [[]]
  for (const span of inlineSpans(tokens, style)) {
    for (const [index, text] of span.text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (text !== '') append(lines.at(-1), { ...span, text })
    }
  }
  while (lines.length > 1 && lines.at(-1)?.length === 0) lines.pop()
  return lines
}

/** Neighbours of one style become one span, so that the screen writes fewer escapes. */
function append(line: Span[] | undefined, span: Span): void {
  const last = line?.at(-1)
  if (line === undefined) return
  if (last !== undefined && sameStyle(last, span)) line[line.length - 1] = { ...last, text: last.text + span.text }
  else line.push(span)
}

function sameStyle({ text: _left, ...left }: Span, { text: _right, ...right }: Span): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

function inlineSpans(tokens: readonly MarkedToken[], style: Style): readonly Span[] {
  return tokens.flatMap((token) => tokenSpans(token, style))
}

function tokenSpans(token: MarkedToken, style: Style): readonly Span[] {
  switch (token.type) {
    case 'strong':
      return inlineSpans(known(token.tokens), { ...style, bold: true })
    case 'em':
      return inlineSpans(known(token.tokens), { ...style, italic: true })
    case 'del':
      return inlineSpans(known(token.tokens), { ...style, strike: true })
    case 'codespan':
      return [{ ...style, text: stripEffects(token.text), code: true }]
    case 'br':
      return [{ ...style, text: '\n' }]
    case 'checkbox':
      return []
    case 'link':
      return linkSpans(inlineSpans(known(token.tokens), style), token.href, style)
    case 'image':
      return linkSpans([{ ...style, text: stripEffects(token.text || 'image') }], token.href, style)
    case 'text':
      return token.tokens === undefined ? [plainSpan(token.text, style)] : inlineSpans(known(token.tokens), style)
    case 'escape':
      return [{ ...style, text: token.text }]
    default:
      return [plainSpan(token.raw, style)]
  }
}

/** A target that cannot be a link is shown beside the text: a relative path says more than its label. */
function linkSpans(label: readonly Span[], target: string, style: Style): readonly Span[] {
  const href = safeHref(target)
  if (href !== null) return label.map((span) => ({ ...span, underline: true, href }))
  const text = stripEffects(target)
  const said = label.map((span) => span.text).join('')
  return text === '' || text === said ? label : [...label, { ...style, text: ` (${text})`, tone: 'muted' }]
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/** Entities are resolved before the text is made harmless: `&#27;` must not come through. */
function plainSpan(text: string, style: Style): Span {
  const resolved = text
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (entity, name: string) => entities[name] ?? entity)
    .replace(/<br *\/?>/gi, '\n')
  return { ...style, text: stripEffects(resolved) }
}

const schemes = /^(?:https?|file|mailto):/i

/** Terminals cut or refuse longer ones. */
const maxLength = 2_000

/** A link target that is safe inside OSC 8: a scheme that opens nothing but pages, files and mail, no controls. */
function safeHref(target: string): string | null {
  if (!schemes.test(target)) return null
  const href = target.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)
  return href.length <= maxLength ? href : null
}
