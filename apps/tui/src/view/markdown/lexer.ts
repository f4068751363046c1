import { Marked, type MarkedToken, type Token } from 'marked'

let marked: Marked | undefined

/** A line of quote and list markers nests as deep as it is long; the lexer recurses, so what nobody could read is cut. */
const deepMarkers = /^((?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){24})(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))+/gm

/**
 * Markdown without what would reach across blocks or hide text: no reference definitions (a later one would change
 * settled text), no HTML (it is shown as written).
 */
export function lex(text: string): readonly MarkedToken[] {
  marked ??= new Marked({
    tokenizer: { def: () => undefined, html: () => undefined, tag: () => undefined },
  })
  return known(marked.lexer(text.replace(deepMarkers, '$1')))
}

/** Drops the open-ended half of the lexer's type: without extensions no other tokens come. */
export function known(tokens: readonly Token[] | undefined): readonly MarkedToken[] {
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
