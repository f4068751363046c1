import type { FileChangeEntry, ItemOf } from '@parley/protocol'
import type { Block } from '../block.ts'
import { clipRows } from '../clip-rows.ts'
import { parseDiff, renderDiff } from '../diff-lines.ts'
import { beside, indented, marked, textRows } from '../gutter.ts'
import { showHidden, stripEffects } from '../neutralise.ts'
import type { Line, Room, Span } from '../span.ts'
import { visibleLine } from '../visible-text.ts'
import { wrapLine } from '../wrap.ts'
import { answerNote, callFacts, callTone } from './call-facts.ts'

const clip = { head: 40, tail: 10 }

/** A patch that was applied or not: which files, and the lines that differ. */
export function changeBlock(item: ItemOf<'fileChange'>, room: Room): Block {
  const note = answerNote(item)
  return {
    kind: 'call',
    lines: [
      ...changeHead(item, room),
      ...(note === null ? [] : indented(textRows(note, room, { tone: 'muted' }))),
      ...(item.failure === undefined
        ? []
        : indented(textRows(stripEffects(item.failure.message), room, { tone: 'bad' }))),
      ...indented(
        clipRows(
          item.changes.flatMap((change) => fileRows(change, item.changes.length > 1, beside(room))),
          clip,
        ),
      ),
    ],
  }
}

export function changeHead(item: ItemOf<'fileChange'>, room: Room): readonly Line[] {
  const facts = item.status === 'completed' ? changeSize(item.changes) : callFacts(item)
  const mark = { text: '±', tone: callTone(item), bold: true } as const
  return marked(mark, wrapLine([{ text: visibleLine(item.title), bold: true }, ...facts], beside(room)))
}

/** The lines of one file's diff; its path goes before them where there are several files. */
function fileRows(change: FileChangeEntry, withPath: boolean, room: Room): readonly Line[] {
  const lines = parseDiff(showHidden(change.diff)).filter(({ kind }) => kind !== 'file')
  const rows = renderDiff(lines, room)
  return withPath ? [...wrapLine([pathSpan(change), ...changeSize([change])], room), ...rows] : rows
}

function pathSpan({ path, movedTo }: FileChangeEntry): Span {
  return { text: visibleLine(movedTo === undefined ? path : `${path} → ${movedTo}`), bold: true }
}

function changeSize(changes: readonly FileChangeEntry[]): readonly Span[] {
  const additions = changes.reduce((sum, change) => sum + change.additions, 0)
  const deletions = changes.reduce((sum, change) => sum + change.deletions, 0)
  return [
    { text: '  ' },
    { text: `+${additions}`, tone: 'good' },
    { text: ' ' },
    { text: `−${deletions}`, tone: 'bad' },
  ]
}
