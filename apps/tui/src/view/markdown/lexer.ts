import { Marked, type MarkedToken, type Token } from 'marked'

let marked: Marked | undefined

/** Matches quote and list markers beyond 24 levels, which are cut because the lexer recurses. */
const deepMarkers = /^((?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){24})(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))+/gm

/**
 * Lexes Markdown without reference definitions, which could change settled text, and without HTML, which is shown as
 * written.
 */
export function lex(text: string): readonly MarkedToken[] {
  marked ??= new Marked({
    tokenizer: { def: () => undefined, html: () => undefined, tag: () => undefined },
  })
  return known(marked.lexer(text.replace(deepMarkers, '$1')))
}

/** Narrows the lexer's token type; without extensions no other tokens occur. */
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
