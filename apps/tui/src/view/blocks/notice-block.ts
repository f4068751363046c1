import type { ItemOf } from '@parley/protocol'
import type { Block } from '../block.ts'
import { marked, textRows } from '../gutter.ts'
import { stripEffects } from '../neutralise.ts'
import type { Line, Room, Span, Tone } from '../span.ts'

export type Level = ItemOf<'notice'>['level']

const marks: Readonly<Record<Level, Span>> = {
  info: { text: ' ' },
  warning: { text: '!', tone: 'warn', bold: true },
  error: { text: '✗', tone: 'bad', bold: true },
}

const tones: Readonly<Record<Level, Tone>> = { info: 'muted', warning: 'warn', error: 'bad' }

export function noticeBlock({ level, title, text }: ItemOf<'notice'>, room: Room): Block {
  const more = text.trim() === '' || text === title ? '' : `\n${text}`
  return { kind: 'notice', lines: noticeRows(level, title + more, room) }
}

/** A sentence of the program itself. */
export function noticeRows(level: Level, text: string, room: Room): readonly Line[] {
  const [first = '', ...others] = stripEffects(text).trim().split('\n')
  const detail = others.length === 0 ? [] : textRows(others.join('\n'), room, { tone: 'muted' })
  return marked(marks[level], [...textRows(first, room, { tone: tones[level] }), ...detail])
}
