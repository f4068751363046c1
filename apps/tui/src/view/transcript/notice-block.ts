import type { ItemOf } from '@parley/protocol'
import type { NoticeLevel } from '../../ui/notices/notice.ts'
import { showEffects } from '../text/control-characters.ts'
import { marked, textRows } from '../text/gutter.ts'
import type { Line, Room, Span, Tone } from '../text/span.ts'
import type { Block } from './block.ts'

const marks: Readonly<Record<NoticeLevel, Span>> = {
  info: { text: ' ' },
  warning: { text: '!', tone: 'warn', bold: true },
  error: { text: '✗', tone: 'bad', bold: true },
}

const tones: Readonly<Record<NoticeLevel, Tone>> = { info: 'muted', warning: 'warn', error: 'bad' }

export function noticeBlock({ level, title, text }: ItemOf<'notice'>, room: Room): Block {
  const more = text.trim() === '' || text === title ? '' : `\n${text}`
  return { kind: 'notice', lines: noticeRows(level, title + more, room) }
}

/** Returns a sentence of the program itself, marked by level. */
export function noticeRows(level: NoticeLevel, text: string, room: Room): readonly Line[] {
  const [first = '', ...others] = showEffects(text).trim().split('\n')
  const detail = others.length === 0 ? [] : textRows(others.join('\n'), room, { tone: 'muted' })
  return marked(marks[level], [...textRows(first, room, { tone: tones[level] }), ...detail])
}
