import { findingPlace, severityTones, suggestionLines } from '@parley/presentation/items/findings'
import { stripEffects, visibleLine } from '@parley/presentation/text/control-characters'
import type { Line, Room } from '@parley/presentation/text/span'
import type { Finding, Severity } from '@parley/protocol'
import { renderDiff } from '../text/diff-rows.ts'
import { type Clip, clipRows, foldHint } from '../text/fit-rows.ts'
import { beside, indented, textRows } from '../text/gutter.ts'

const changeClip: Clip = { head: 12, tail: 0, hint: foldHint }

/** Returns the findings of a review: number, severity, place and title; the reason; the suggested change. */
export function findingRows(findings: readonly Finding[], room: Room): readonly Line[] {
  const rows = findings.flatMap((finding, at) => [
    ...headRows(finding, at + 1, room),
    ...indented(indented(textRows(stripEffects(finding.why).trim(), beside(room), { tone: 'muted' }))),
    ...indented(indented(changeRows(finding, beside(beside(room))))),
  ])
  return findings.length === 0 ? [] : [...rows, hintRow(findings)]
}

function headRows(finding: Finding, number: number, room: Room): readonly Line[] {
  const { severity, title } = finding
  const words = `${number}  ${severity}`
  const rest = `  ${visibleLine(findingPlace(finding))}  ${visibleLine(title)}`
  const [first = [], ...more] = textRows(`${words}${rest}`, room, { bold: true })
  return indented([toned(first, number, severity), ...indented(more)])
}

/** Returns the row with its severity in its colour. */
function toned(row: Line, number: number, severity: Severity): Line {
  const [span] = row
  const before = `${number}  `.length
  if (span === undefined || span.text.length < before + severity.length) return row
  return [
    { ...span, text: span.text.slice(0, before) },
    { ...span, text: severity, tone: severityTones[severity] },
    { ...span, text: span.text.slice(before + severity.length) },
    ...row.slice(1),
  ]
}

function changeRows(finding: Finding, room: Room): readonly Line[] {
  const lines = suggestionLines(finding)
  return lines.length === 0 ? [] : clipRows(renderDiff(lines, room, finding.file), changeClip)
}

function hintRow(findings: readonly Finding[]): Line {
  const example = findings.length === 1 ? '/fix 1' : '/fix N'
  return [{ text: `  ${example} has the model mend one`, tone: 'muted' }]
}
