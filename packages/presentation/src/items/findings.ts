import type { Finding, Severity } from '@parley/protocol'
import { showEffects, stripEffects } from '../text/control-characters.ts'
import type { DiffLine } from '../text/diff.ts'
import type { Tone } from '../text/span.ts'

/** Returns where a fault is: `src/a.ts:3-5`. */
export function findingPlace({ file, line, endLine }: Finding): string {
  if (line === undefined) return file
  return endLine === undefined ? `${file}:${line}` : `${file}:${line}-${endLine}`
}

/** Returns findings as plain text, one paragraph each; what would change the terminal is shown. */
export function findingsText(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'Nothing found.'
  return findings.map((finding, at) => showEffects(paragraph(finding, at + 1))).join('\n\n')
}

function paragraph(finding: Finding, number: number): string {
  const { severity, title, why, suggestion } = finding
  const head = `${number}. ${severity}  ${findingPlace(finding)}  ${title}`
  const change = suggestion === undefined ? [] : [marked(suggestion.old, '-'), marked(suggestion.new, '+')]
  return [head, indented(why), ...change.filter((text) => text !== '')].join('\n')
}

function indented(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => `   ${line}`.trimEnd())
    .join('\n')
}

function marked(text: string, mark: string): string {
  if (text === '') return ''
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `   ${mark} ${line}`.trimEnd())
    .join('\n')
}

export const severityTones: Readonly<Record<Severity, Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'muted',
}

/** Returns the suggested change as lines of a diff; empty without a suggestion. */
export function suggestionLines({ suggestion, line = 1 }: Finding): readonly DiffLine[] {
  if (suggestion === undefined) return []
  return [
    ...linesOf(suggestion.old).map((text, at): DiffLine => ({ kind: 'removed', text, oldLine: line + at })),
    ...linesOf(suggestion.new).map((text, at): DiffLine => ({ kind: 'added', text, newLine: line + at })),
  ]
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : stripEffects(text).replace(/\n$/, '').split('\n')
}
