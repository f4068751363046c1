import { callFacts, callTone, rightsFacts } from '@parley/presentation/items/call-facts'
import { isShownByName, patchTitle, patchVerb, pathText } from '@parley/presentation/items/item-words'
import { showHidden, visibleLine } from '@parley/presentation/text/control-characters'
import { parseDiff } from '@parley/presentation/text/diff'
import { count, countOf } from '@parley/presentation/text/formats'
import type { Line, Room, Span } from '@parley/presentation/text/span'
import type { FileChangeEntry, ItemOf } from '@parley/protocol'
import { renderDiff } from '../text/diff-rows.ts'
import { type Clip, clipRows, foldHint, wrapLine } from '../text/fit-rows.ts'
import { below, beside, hung, indented } from '../text/gutter.ts'
import type { TranscriptBlock } from './block.ts'
import { failureRows, noteRows } from './call-block.ts'
import { headRows } from './call-head.ts'

type Patch = ItemOf<'fileChange'>

/** Rows of a file's diff; a new file shows its beginning only. */
const clips: Readonly<Record<'update' | 'add' | 'delete', Clip>> = {
  update: { head: 20, tail: 5, hint: foldHint },
  add: { head: 10, tail: 0, hint: foldHint },
  delete: { head: 0, tail: 0 },
}
/** Rows of all diffs of a patch; the files after it have one row. */
const maxRows = 60
/** Columns below which diffs are indented less. */
const narrowColumns = 60

/** Returns a patch, applied or not: its files and, where they may have changed, the changed lines. */
export function changeBlock(item: Patch, room: Room): TranscriptBlock {
  const isShown = item.status === 'completed' || item.status === 'unknown'
  return {
    kind: 'call',
    lines: [...aboutChange(item, room), ...(isShown ? changeRows(item.changes, room) : [])],
  }
}

/** Returns the rows of a patch without its files: the head, the answer to its question, and the failure. */
export function aboutChange(item: Patch, room: Room): readonly Line[] {
  return [...changeHead(item, room), ...noteRows(item, room), ...failureRows(item, room)]
}

/** Returns the first rows of a patch: the changed files, and the size of the change. */
export function changeHead(item: Patch, room: Room): readonly Line[] {
  const { changes, status } = item
  const [only, ...others] = changes
  const title: Line =
    only === undefined
      ? [{ text: visibleLine(patchTitle(item)) }]
      : others.length === 0
        ? [{ text: pathText(only) }]
        : [{ text: `${count(changes.length)} files` }]
  const size = status === 'completed' && changes.length > 0 ? changeSize(changes) : []
  const facts = status === 'completed' ? rightsFacts(item) : callFacts(item)
  return headRows(
    { mark: { text: '•', tone: callTone(item) }, verb: patchVerb(item), lines: [[...title, ...size]], facts },
    room,
  )
}

function changeRows(changes: readonly FileChangeEntry[], room: Room): readonly Line[] {
  const [only, ...others] = changes
  const isNarrow = room.columns < narrowColumns
  if (only !== undefined && others.length === 0) {
    const inner = isNarrow ? beside(room) : below(room)
    const rows = isShownByName(only) ? [] : diffOf(only, inner)
    return isNarrow ? indented(rows) : indented(indented(rows))
  }
  return hung(listed(changes, below(room)))
}

/** Returns each file's diff below its path; files that are gone or renamed follow in one row. */
export function changedFiles(changes: readonly FileChangeEntry[], room: Room): readonly Line[] {
  return listed(changes, room, Number.POSITIVE_INFINITY)
}

function listed(changes: readonly FileChangeEntry[], room: Room, limit = maxRows): readonly Line[] {
  const rows: Line[] = []
  const brief: Line[] = []
  for (const change of changes) {
    const isCut = rows.length >= limit
    if (isCut || isShownByName(change)) brief.push(briefWords(change))
    else
      for (const row of [...wrapLine(headOf(change), room), ...diffOf(change, room, limit === maxRows)]) rows.push(row)
  }
  const joined = brief.flatMap(
    (words, index): Line => (index === 0 ? words : [{ text: ' · ', tone: 'muted' }, ...words]),
  )
  return joined.length === 0 ? rows : [...rows, ...wrapLine(joined, room)]
}

function headOf(change: FileChangeEntry): Line {
  return change.kind === 'add' ? briefWords(change) : [{ text: pathText(change), bold: true }, ...changeSize([change])]
}

function briefWords(change: FileChangeEntry): Line {
  const path: Span = { text: pathText(change), bold: true }
  if (change.kind === 'delete') return [path, { text: ' deleted', tone: 'bad' }]
  if (change.kind === 'update') return [path, ...changeSize([change])]
  if (change.additions === 0) return [path, { text: ' new', tone: 'good' }]
  return [path, { text: ' new, ', tone: 'good' }, { text: countOf(change.additions, 'line'), tone: 'muted' }]
}

/** Returns the changed lines of a file, and what its diff says in place of lines that were left out. */
export function diffOf({ diff, kind, path, movedTo }: FileChangeEntry, room: Room, isClipped = true): readonly Line[] {
  const lines = parseDiff(showHidden(diff)).filter(({ kind: of, text }) => of !== 'file' || text.startsWith('…'))
  const rows = renderDiff(lines, room, movedTo ?? path)
  return isClipped ? clipRows(rows, clips[kind]) : rows
}

function changeSize(changes: readonly FileChangeEntry[]): readonly Span[] {
  const additions = changes.reduce((sum, change) => sum + change.additions, 0)
  const deletions = changes.reduce((sum, change) => sum + change.deletions, 0)
  if (additions + deletions === 0) return []
  return [
    { text: '  ' },
    { text: `+${additions}`, tone: 'good' },
    { text: ' ' },
    { text: `−${deletions}`, tone: 'bad' },
  ]
}
