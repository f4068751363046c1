import type { ItemOf } from '@parley/protocol'
import type { Notice, NoticeLevel } from '../../ui/notices/notice.ts'
import { wholeApproval } from '../approval/whole-approval.ts'
import { showEffects, shownName } from '../text/control-characters.ts'
import { wrapLine } from '../text/fit-rows.ts'
import { beside, indented, marked, textRows } from '../text/gutter.ts'
import type { Line, Room, Span, Tone } from '../text/span.ts'
import { cellWidth } from '../text/width.ts'
import type { Block } from './block.ts'

export function localNoticeBlock(notice: Notice, room: Room): Block {
  switch (notice.kind) {
    case 'note':
      return { kind: 'notice', lines: noticeRows(notice.level, notice.text, room) }
    case 'table':
      return { kind: 'report', lines: tableRows(notice.title, notice.rows, room) }
    case 'greeting':
      return { kind: 'report', lines: greetingRows(notice, room) }
    case 'approvalDetail':
      return { kind: 'report', lines: wholeApproval(notice, room) }
  }
}

/** Returns the table in two columns where they fit, else each text below its key. */
function tableRows(title: string, rows: readonly (readonly [string, string])[], room: Room): readonly Line[] {
  const inner = beside(room)
  const plainRows = rows.map((row) => row.map(shownName))
  const keyColumns = Math.max(0, ...plainRows.map(([name = '']) => cellWidth(name)))
  const isNarrow = keyColumns > inner.columns / 2
  const shown = plainRows.flatMap(([name = '', text = '']): readonly Line[] => {
    if (isNarrow)
      return [...wrapLine([{ text: name }], inner), ...indented(wrapLine([{ text, tone: 'muted' }], beside(inner)))]
    const pad = ' '.repeat(keyColumns - cellWidth(name) + 2)
    return wrapLine([{ text: name }, { text: pad }, { text, tone: 'muted' }], { ...inner, hang: keyColumns + 2 })
  })
  return [...titleRows(title, room), ...indented(shown)]
}

function titleRows(title: string, room: Room): readonly Line[] {
  return marked({ text: ' ' }, wrapLine([{ text: showEffects(title), bold: true }], beside(room)))
}

function greetingRows({ program, facts }: Notice & { kind: 'greeting' }, room: Room): readonly Line[] {
  const rest = facts.map((fact) => ` · ${showEffects(fact)}`).join('')
  return indented(
    wrapLine(
      [
        { text: program, bold: true, tone: 'brand' },
        { text: rest, tone: 'muted' },
      ],
      beside(room),
    ),
  )
}

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
