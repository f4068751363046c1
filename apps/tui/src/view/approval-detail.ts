import type { Approval } from '@parley/protocol'
import { parseDiff, renderDiff } from './diff-lines.ts'
import { showHidden } from './neutralise.ts'
import type { Line, Room } from './span.ts'
import { wrapLines } from './wrap.ts'

/** All of what an answer would allow, nothing hidden: characters that cannot be seen are shown by number. */
export function approvalDetail({ kind, detail }: Pick<Approval, 'kind' | 'detail'>, room: Room): readonly Line[] {
  const text = showHidden(detail.replace(/\n+$/, ''))
  if (text === '') return []
  if (kind === 'patch') return renderDiff(parseDiff(text), room)
  const lines = text.split('\n').map((line): Line => (line === '' ? [] : [{ text: line, bold: true }]))
  return wrapLines(lines, { ...room, mode: 'anywhere' })
}
