import { noticeWords } from '@parley/presentation/items/item-words'
import type { NoticeLevel } from '@parley/presentation/notices/notice'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { Line, Room, Span, Tone } from '@parley/presentation/text/span'
import type { ItemOf } from '@parley/protocol'
import { marked, textRows } from '../text/gutter.ts'
import { authorRows, type TranscriptBlock } from './block.ts'

const marks: Readonly<Record<NoticeLevel, Span>> = {
  info: { text: ' ' },
  warning: { text: '!', tone: 'warn', bold: true },
  error: { text: '✗', tone: 'bad', bold: true },
}

const tones: Readonly<Record<NoticeLevel, Tone>> = { info: 'muted', warning: 'warn', error: 'bad' }

export function noticeBlock(item: ItemOf<'notice'>, room: Room, author: string | null = null): TranscriptBlock {
  return { kind: 'notice', lines: [...noticeRows(item.level, noticeText(item), room), ...authorRows(author, room)] }
}

/** Codes of failures that another key mends. */
const keyCodes: ReadonlySet<string> = new Set(['auth', 'noCredentials'])

/** Returns the text of a notice, with what to do where a key is missing or refused. */
export function noticeText(item: ItemOf<'notice'>): string {
  const next = keyCodes.has(item.code) ? ['/login takes another key.'] : []
  return [noticeWords(item), ...next].join('\n')
}

/** Returns a sentence of the program itself, marked by level. */
export function noticeRows(level: NoticeLevel, text: string, room: Room): readonly Line[] {
  const [first = '', ...others] = showEffects(text).trim().split('\n')
  const detail = others.length === 0 ? [] : textRows(others.join('\n'), room, { tone: 'muted' })
  return marked(marks[level], [...textRows(first, room, { tone: tones[level] }), ...detail])
}
