import { orNull } from '@parley/text'
import { Marked, type MarkedToken, type Token } from 'marked'
import { stripEffects } from '../text/control-characters.ts'
import type { Line, Span, Style } from '../text/span.ts'

/** Returns inline tokens as lines of spans, keeping the line ends of the source. */
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

/** Merges neighbours of the same style, so that the screen writes fewer escapes. */
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
      return inlineSpans(knownToken(token.tokens), { ...style, bold: true })
    case 'em':
      return inlineSpans(knownToken(token.tokens), { ...style, italic: true })
    case 'del':
      return inlineSpans(knownToken(token.tokens), { ...style, strike: true })
    case 'codespan':
      return [{ ...style, text: stripEffects(token.text), code: true }]
    case 'br':
      return [{ ...style, text: '\n' }]
    case 'checkbox':
      return []
    case 'link':
      return linkSpans(inlineSpans(knownToken(token.tokens), style), token.href, style)
    case 'image':
      return linkSpans([{ ...style, text: stripEffects(token.text || 'image') }], token.href, style)
    case 'text':
      return token.tokens === undefined ? [plainSpan(token.text, style)] : inlineSpans(knownToken(token.tokens), style)
    case 'escape':
      return [{ ...style, text: token.text }]
    default:
      return [plainSpan(token.raw, style)]
  }
}

/** Returns the label as a link. The target follows where it cannot be a link, and its host where the label names another. */
function linkSpans(label: readonly Span[], target: string, style: Style): readonly Span[] {
  const href = safeHref(target)
  const labelText = label.map((span) => span.text).join('')
  if (href !== null) {
    const link = label.map((span): Span => ({ ...span, underline: true, href }))
    const place = otherPlace(labelText, href)
    return place === null ? link : [...link, { ...style, text: ` (${stripEffects(place)})`, tone: 'muted' }]
  }
  const text = stripEffects(target)
  return text === '' || text === labelText ? label : [...label, { ...style, text: ` (${text})`, tone: 'muted' }]
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

/** Resolves entities before control characters are removed, so that `&#27;` does not get through. */
function plainSpan(text: string, style: Style): Span {
  const resolved = text
    .replace(/&(amp|lt|gt|quot|apos|nbsp);/g, (entity, name: string) => entities[name] ?? entity)
    .replace(/<br *\/?>/gi, '\n')
  return { ...style, text: stripEffects(resolved) }
}

const schemes = /^(?:https?|file|mailto):/i

/** Maximum length of a link; terminals cut or reject longer ones. */
const maxLength = 2_000

/** Returns a target safe inside OSC 8, without controls; null for schemes other than web, files and mail. */
function safeHref(target: string): string | null {
  if (!schemes.test(target)) return null
  const href = target.toWellFormed().replace(/[^\x21-\x7e]/gu, encodeURIComponent)
  return href.length <= maxLength ? href : null
}

let marked: Marked | undefined

/** Matches quote and list markers beyond 24 levels, which are cut because the lexer recurses. */
const deepMarkers = /^((?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){24})(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))+/gm

/** Lexes Markdown without reference definitions, which could change settled text, and with HTML as text. */
export function parseMarkdown(text: string): readonly MarkedToken[] {
  marked ??= new Marked({
    tokenizer: { def: () => undefined, html: () => undefined, tag: () => undefined },
  })
  return knownToken(marked.lexer(text.replace(deepMarkers, '$1')))
}

/** Narrows the lexer's token type; without extensions no other tokens occur. */
export function knownToken(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
  return (tokens ?? []).filter(isKnown)
}

const types: ReadonlySet<string> = new Set<MarkedToken['type']>([
  ...([
    'blockquote',
    'code',
    'def',
    'heading',
    'hr',
    'html',
    'list',
    'list_item',
    'paragraph',
    'space',
    'table',
  ] as const),
  ...(['br', 'checkbox', 'codespan', 'del', 'em', 'escape', 'image', 'link', 'strong', 'text'] as const),
])

function isKnown(token: Token): token is MarkedToken {
  return types.has(token.type)
}

/** Matches an address in a label: with a scheme, or a host by its dots. */
const addresses = /[a-z][a-z0-9+.-]*:\/\/[^\s<>"')\]]+|(?:[\p{L}\p{N}_-]+\.)+\p{L}{2,}(?![\p{L}\p{N}_-])/giu

/** Ends of names of files that no host has: there are no such domains. */
const fileEnds =
  /\.(?:[cm]?[jt]sx?|jsonc?|toml|ya?ml|xml|csv|txt|html?|s?css|lock|log|cfg|ini|conf|env|sql|java|kt|go|rb|php|lua|cpp|hpp|vue|svelte)$/i

/** Letters of a label that are looked at: each may begin an address. */
const maxLabel = 2048

const mail = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Returns the place that a link leads to, where its label is or names another; null where the label names no other. */
function otherPlace(label: string, href: string): string | null {
  const text = label.trim().slice(0, maxLabel)
  if (/^mailto:/i.test(href)) {
    const to = href.slice('mailto:'.length)
    return mail.test(text) && text.toLowerCase() !== decoded(to.replace(/\?.*$/, '')).toLowerCase() ? to : null
  }
  const named = (text.match(addresses) ?? []).filter((address) => address.includes('://') || !fileEnds.test(address))
  const host = hostOf(href)
  if (host === null) {
    // Names of files have dots, too.
    return named.some((address) => address.includes('://') && address !== href) ? href : null
  }
  const isOther = named.some((address) => hostOf(address) !== host)
  return isOther ? host : null
}

/** Returns the host of an address with its port, as it is compared; null for a file. */
function hostOf(address: string): string | null {
  if (/^file:/i.test(address)) return null
  const [, authority = address.replace(/[/?#\\].*$/s, '')] = /^[a-z][a-z0-9+.-]*:[/\\]*([^/?#\\]*)/i.exec(address) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase()
  return decoded(host)
    .replace(/:(?:80|443)?$/, '')
    .replace(/^www\./, '')
}

function decoded(text: string): string {
  return orNull(() => decodeURIComponent(text)) ?? text
}
