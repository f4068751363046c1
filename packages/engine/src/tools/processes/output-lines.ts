import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import { limitDefaults } from '@parley/config/defaults'
import type { OutputSnapshot } from '@parley/host'
import { characterStart, firstBytes, lastBytes, utf8Length } from '@parley/text'
import { shownOutput } from '../contract/command-output.ts'
import type { OutputPattern } from './output-pattern.ts'

/** Letters of a line that are looked at; of a longer one the last. */
const maxLineLetters = 8 * 1024

/**
 * Returns a reader of chunks that answers with the first line that fits, even before its end; null while no line fits.
 */
export function createLineScan({ matches }: OutputPattern): (chunk: Buffer) => string | null {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  return (chunk) => {
    const text = rest + decoder.write(chunk)
    const lastEnd = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'))
    rest = text.slice(Math.max(lastEnd + 1, text.length - maxLineLetters))
    return (
      stripVTControlCharacters(text)
        .split(/[\n\r]/)
        .find(matches) ?? null
    )
  }
}

/** Line of an output and its number, from 1. */
interface NumberedLine {
  readonly number: number
  readonly text: string
}

export interface PickedLines {
  /** Oldest first; empty for output that is not text. */
  readonly lines: readonly NumberedLine[]
  /** Number of lines in all of the output, or of all lines that fit. */
  readonly of: number
  readonly isText: boolean
}

/** Lines that are wanted: the newest that fit the search, or without one the newest of all. */
export interface WantedLines {
  readonly search: OutputPattern | null
  /** Lines at most, without a search. */
  readonly tail?: number | undefined
}

/** Picks the shown part of an output, for people and the model. */
export function pickLines(
  output: OutputSnapshot,
  { search, tail = limitDefaults.processLines }: WantedLines,
): PickedLines {
  if (shownOutput(output).binary === true) return { lines: [], of: 0, isText: false }
  return search === null ? newestLines(output, tail) : matchingLines(output, search)
}

/** Bytes of lines that one answer shows, and of one of them. */
const shownBytes = 24 * 1024
const shownLineBytes = 4 * 1024

function newestLines(output: OutputSnapshot, count: number): PickedLines {
  const lines = knownLines(output)
  return { lines: lastOf(lines, count), of: lines.at(-1)?.number ?? 0, isText: true }
}

const maxFound = 100

/** Returns the newest lines that fit, as far as memory has them. */
function matchingLines(output: OutputSnapshot, { matches }: OutputPattern): PickedLines {
  const found = knownLines(output).filter(({ text }) => matches(text.slice(-maxLineLetters)))
  return { lines: lastOf(found, maxFound), of: found.length, isText: true }
}

function lastOf(lines: readonly NumberedLine[], count: number): readonly NumberedLine[] {
  const shown: NumberedLine[] = []
  let bytes = 0
  for (const { number, text } of lines.slice(-count).reverse()) {
    const line = { number, text: clippedLine(text) }
    bytes += utf8Length(line.text) + 1
    if (bytes > shownBytes) break
    shown.push(line)
  }
  return shown.reverse()
}

function clippedLine(text: string): string {
  const bytes = utf8Length(text)
  if (bytes <= shownLineBytes) return text
  const half = shownLineBytes / 2
  return `${firstBytes(text, half)}[… ${bytes - shownLineBytes} bytes …]${lastBytes(text, half)}`
}

/** Returns the lines that memory has; two of them are cut where it has lost the middle. */
function knownLines({ head, tail, omittedBytes, lineEnds }: OutputSnapshot): readonly NumberedLine[] {
  if (omittedBytes === 0) return numbered(Buffer.concat([head, tail]).toString(), 1)
  const newest = tail.subarray(characterStart(tail)).toString()
  return [...numbered(head.toString(), 1), ...numbered(newest, lineEnds - newest.split('\n').length + 2)]
}

function numbered(text: string, first: number): NumberedLine[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((line, index) => ({ number: first + index, text: asSeen(line) }))
}

/** Returns a line as a terminal shows it in the end: without control sequences and overwritten text. */
function asSeen(line: string): string {
  const plain = stripVTControlCharacters(line).replace(/\r+$/, '')
  return plain.slice(plain.lastIndexOf('\r') + 1)
}
