import type { Notice } from '@parley/presentation/notices/notice'
import { showEffects, shownName } from '@parley/presentation/text/control-characters'
import type { Line, Room, Span } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import { greatest } from '@parley/text'
import { wholeApproval } from '../approval/whole-approval.ts'
import { clipRows, wrapLine } from '../text/fit-rows.ts'
import { beside, indented, marked, textRows } from '../text/gutter.ts'
import type { TranscriptBlock } from './block.ts'
import { changedFiles } from './change-block.ts'
import { noticeRows } from './notice-block.ts'
import { planBlock } from './plan-rows.ts'

/** Returns a notice of the program itself, which is not part of the conversation. */
export function localNoticeBlock(notice: Notice, room: Room): TranscriptBlock {
  switch (notice.kind) {
    case 'note':
      return { kind: 'notice', lines: noticeRows(notice.level, notice.text, room) }
    case 'table':
      return { kind: 'report', lines: tableRows(notice.title, notice.rows, room) }
    case 'greeting':
      return { kind: 'report', lines: greetingRows(notice, room) }
    case 'plan':
      return planBlock(notice.plan, room)
    case 'changes':
      return { kind: 'report', lines: changesRows(notice, room) }
    case 'approvalDetail':
      return { kind: 'report', lines: wholeApproval(notice, room) }
  }
}

/** Rows of changes; the scrollback is no place for more. */
const changesClip = { head: 400, tail: 100 }

function changesRows({ title, files, isCut }: Notice & { kind: 'changes' }, room: Room): readonly Line[] {
  const rows = clipRows(changedFiles(files, beside(room)), changesClip)
  const more = isCut ? textRows('There is more, which `git diff` shows.', room, { tone: 'muted' }) : []
  return [...titleRows(title, room), ...indented([...rows, ...more])]
}

/** Returns the table in two columns where they fit, else each text below its key. */
function tableRows(title: string, rows: readonly (readonly [string, string])[], room: Room): readonly Line[] {
  const inner = beside(room)
  const plainRows = rows.map((row) => row.map(shownName))
  const keyColumns = greatest(plainRows.map(([name = '']) => cellWidth(name, room.ambiguous)))
  const isNarrow = keyColumns > inner.columns / 2
  const shown = plainRows.flatMap(([name = '', text = '']): readonly Line[] => {
    const value: Span = { text, tone: 'muted', ...(address.test(text) ? { href: text } : {}) }
    const isWide = keyColumns + 2 + cellWidth(text, room.ambiguous) > inner.columns
    // From the edge on, so that it is copied without blanks between its rows.
    if (value.href !== undefined && isWide)
      return [...indented(wrapLine([{ text: name }], inner)), ...wrapLine([value], room)]
    if (isNarrow) return indented([...wrapLine([{ text: name }], inner), ...indented(wrapLine([value], beside(inner)))])
    const pad = ' '.repeat(keyColumns - cellWidth(name, room.ambiguous) + 2)
    return indented(wrapLine([{ text: name }, { text: pad }, value], { ...inner, hang: keyColumns + 2 }))
  })
  return [...titleRows(title, room), ...shown]
}

/** Matches a text that is nothing but the address of a page. */
const address = /^https?:\/\/\S+$/

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
