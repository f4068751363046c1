import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encodeLine } from '../src/line/line.ts'
import type { LossReports, SeqRange } from '../src/log/damage.ts'
import { encodeHeader, newHeader } from '../src/log/header.ts'

export const SAMPLE_ID = '019a1b2c-3d4e-7f50-8a6b-7c8d9e0fa1b2'
export const SAMPLE_HEADER = encodeHeader(newHeader(SAMPLE_ID))

/** Texts with what has tripped readers before: line separators, quotes, letters of several bytes, an LF written out. */
const TEXTS = [
  'hello',
  'J*J*J',
  'two\nlines',
  '"quoted" \\ back',
  'Grüße 🌍 \u2028',
  '{"seq":9,"at":1,"event":{"type":"x"}}',
]

export function sampleLine(seq: number): string {
  return encodeLine({ seq, at: 1_700_000_000_000 + seq, event: sampleEvent(seq) }).text
}

export function sampleLines(count: number, from = 1): readonly string[] {
  return Array.from({ length: count }, (_, i) => sampleLine(from + i))
}

function sampleEvent(seq: number) {
  const text = TEXTS[seq % TEXTS.length] ?? ''
  return seq % 3 === 0
    ? { type: 'item.delta', itemId: 'i1', text }
    : { type: 'item.completed', item: { id: `i${seq}`, text } }
}

export function writeLog(folder: string, content: string | Buffer): string {
  const path = join(folder, `${SAMPLE_ID}.jsonl`)
  writeFileSync(path, content)
  return path
}

export function logText(lines: readonly string[]): string {
  return [SAMPLE_HEADER, ...lines].map((line) => `${line}\n`).join('')
}

/** As the engine reports what an opening found missing. */
export function reportLine(seq: number, lost: readonly SeqRange[]): string {
  return encodeLine({ seq, at: 1, event: { type: 'conversation.recovered', lost } }).text
}

export const REPORTS: LossReports = {
  type: 'conversation.recovered',
  ranges: (event) => (Array.isArray(event['lost']) ? event['lost'] : []),
}
