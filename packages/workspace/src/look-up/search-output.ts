import { visiblePath } from './display-text.ts'

export interface OutputLimits {
  /** Maximum number of matching lines, or names. */
  readonly maxShown: number
  readonly maxTextBytes: number
  /** Output beyond this is neither shown nor counted. */
  readonly maxCountedBytes: number
  /** Tests a path as ripgrep prints it; others count nowhere. */
  readonly isWanted: (path: string) => boolean
  /** Redacts the start of a line that ripgrep cut, which may end within a secret. */
  readonly redactCutLine?: ((text: string) => string) | undefined
}

export interface Collected {
  readonly text: string
  readonly shown: number
  /** Number of matches, or names, not shown. */
  readonly leftOut: number
}

export interface OutputCollector {
  /** Returns false when the limit on counted output is reached. */
  push(chunk: Uint8Array): boolean
  finish(): Collected
}

/** `counted` lines are matches and names. */
type LineKind = 'counted' | 'context' | 'divider'

interface LineBuffer {
  add(line: string, kind: LineKind): void
  collected(): Collected
}

/** Collects lines up to the limits and counts the rest. */
function bufferLines(limits: OutputLimits): LineBuffer {
  const lines: string[] = []
  let textBytes = 0
  let shown = 0
  let leftOut = 0
  let full = false
  return {
    add(line, kind) {
      // Context lines after the last match are still part of it.
      full ||= textBytes >= limits.maxTextBytes || (kind !== 'context' && shown >= limits.maxShown)
      if (kind === 'counted' && full) leftOut += 1
      if (full) return
      if (kind === 'counted') shown += 1
      textBytes += Buffer.byteLength(line) + 1
      lines.push(line)
    },
    collected: () => ({ text: lines.join('\n'), shown, leftOut }),
  }
}

/** Parses `path NUL number : text` (match) and `path NUL number - text` (context); prints each path once, as a heading. */
export function collectMatches(limits: OutputLimits): OutputCollector {
  const lineBuffer = bufferLines(limits)
  let lastPath: string | null = null

  function takeRecord(path: string, line: string): void {
    const separated = /^--\r?\n/.test(path)
    const name = cleanPath(path)
    if (!limits.isWanted(name)) return
    if (name !== lastPath) lineBuffer.add(`${lastPath === null ? '' : '\n'}${visiblePath(name)}`, 'divider')
    else if (separated) lineBuffer.add('--', 'divider')
    lastPath = name
    lineBuffer.add(showable(line.replace(/\r$/, ''), limits), /^\d+:/.test(line) ? 'counted' : 'context')
  }

  return collector(limits, lineBuffer, (buffer) => {
    const pathEnd = buffer.indexOf(0)
    const lineEnd = pathEnd === -1 ? -1 : buffer.indexOf(0x0a, pathEnd)
    if (lineEnd === -1) return 0
    takeRecord(buffer.toString('utf8', 0, pathEnd), buffer.toString('utf8', pathEnd + 1, lineEnd))
    return lineEnd + 1
  })
}

/** Note that ripgrep appends to a cut line. */
const cutNote = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/

function showable(line: string, { redactCutLine: beginning }: OutputLimits): string {
  const cut = cutNote.exec(line)
  return cut === null || beginning === undefined ? line : beginning(line.slice(0, cut.index)) + cut[0]
}

/** Parses names that each end with a NUL. */
export function collectNames(limits: OutputLimits): OutputCollector {
  const lineBuffer = bufferLines(limits)
  return collector(limits, lineBuffer, (buffer) => {
    const end = buffer.indexOf(0)
    if (end === -1) return 0
    const name = cleanPath(buffer.toString('utf8', 0, end))
    if (limits.isWanted(name)) lineBuffer.add(visiblePath(name), 'counted')
    return end + 1
  })
}

/** Splits output into records. `takeOne` returns the length of the first record, 0 when it is incomplete. */
function collector(limits: OutputLimits, lineBuffer: LineBuffer, takeOne: (buffer: Buffer) => number): OutputCollector {
  let rest = Buffer.alloc(0)
  let seenBytes = 0
  return {
    push(chunk) {
      seenBytes += chunk.length
      rest = Buffer.concat([rest, chunk])
      for (let taken = takeOne(rest); taken > 0; taken = takeOne(rest)) rest = rest.subarray(taken)
      return seenBytes < limits.maxCountedBytes
    },
    finish: () => lineBuffer.collected(),
  }
}

/** Removes group separators and ripgrep's notes on binary files, which stand on lines before a path. */
function cleanPath(path: string): string {
  const remarks = /^(?:--\r?\n|.*: (?:WARNING: stopped searching binary file|binary file matches).*\r?\n)+/
  return path.replace(remarks, '').replace(/^\.\//, '')
}
