import type { Approval, Enforcement } from '@parley/protocol'
import type { Block } from './block.ts'
import type { Level } from './blocks/notice-block.ts'
import { noticeRows } from './blocks/notice-block.ts'
import { beside, indented, marked } from './gutter.ts'
import { wholeApproval } from './live/whole-approval.ts'
import { stripEffects } from './neutralise.ts'
import type { Line, Room } from './span.ts'
import { cellWidth } from './width.ts'
import { wrapLine } from './wrap.ts'

/** What this program itself has to say; no part of the conversation. */
export type Said =
  | { readonly kind: 'note'; readonly level: Level; readonly text: string }
  | { readonly kind: 'table'; readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: 'greeting'; readonly program: string; readonly facts: readonly string[] }
  /** All of a question. `enforcement`: what enforces limits where it would run. */
  | { readonly kind: 'approvalDetail'; readonly approval: Approval; readonly enforcement: Enforcement }

export function saidBlock(said: Said, room: Room): Block {
  switch (said.kind) {
    case 'note':
      return { kind: 'notice', lines: noticeRows(said.level, said.text, room) }
    case 'table':
      return { kind: 'said', lines: tableRows(said.title, said.rows, room) }
    case 'greeting':
      return { kind: 'said', lines: greetingRows(said, room) }
    case 'approvalDetail':
      return { kind: 'said', lines: wholeApproval(said, room) }
  }
}

/** Two columns where they fit, else one under the other. */
function tableRows(title: string, rows: readonly (readonly [string, string])[], room: Room): readonly Line[] {
  const inner = beside(room)
  const plainRows = rows.map((row) => row.map((text) => stripEffects(text).replaceAll('\n', ' ')))
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
  return marked({ text: ' ' }, wrapLine([{ text: stripEffects(title), bold: true }], beside(room)))
}

function greetingRows({ program, facts }: Said & { kind: 'greeting' }, room: Room): readonly Line[] {
  const rest = facts.map((fact) => ` · ${stripEffects(fact)}`).join('')
  return indented(
    wrapLine(
      [
        { text: program, bold: true, tone: 'accent' },
        { text: rest, tone: 'muted' },
      ],
      beside(room),
    ),
  )
}
