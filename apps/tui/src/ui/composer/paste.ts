import { cleanInput } from '../../view/neutralise.ts'
import { type Composer, replace } from './composer.ts'

/** A large paste: its text is kept aside and a mark stands for it. */
export interface Paste {
  readonly mark: string
  readonly text: string
}

const maxCharacters = 1_000
const maxLines = 10

/**
 * Pasted text at the caret. Line ends become LF, tabs stay tabs (a Makefile must arrive as it is), escape sequences,
 * other controls and bidirectional overrides are dropped. A large paste is folded to a mark.
 */
export function paste(composer: Composer, pasted: string): Composer {
  const text = cleanInput(pasted)
  const at = { start: composer.caret, end: composer.caret }
  const lines = countLines(text)
  if (text.length <= maxCharacters && lines <= maxLines) return replace(composer, { ...at, text })
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`
  const mark = `[pasted ${size} #${composer.pastes.length + 1}]`
  return replace({ ...composer, pastes: [...composer.pastes, { mark, text }] }, { ...at, text: mark })
}

/** The text as it is sent: every mark replaced by what it stands for. */
export function expanded({ text, pastes }: Pick<Composer, 'text' | 'pastes'>): string {
  if (pastes.length === 0) return text
  const byMark = new Map(pastes.map((folded) => [folded.mark, folded.text]))
  return text.replace(/\[pasted \d+ (?:lines|characters) #\d+\]/g, (mark) => byMark.get(mark) ?? mark)
}

function countLines(text: string): number {
  return text.replace(/\n$/, '').split('\n').length
}
