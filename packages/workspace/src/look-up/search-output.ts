import { visiblePath } from './display-text.ts'

export interface OutputLimits {
  /** Matching lines, or names, to show. */
  readonly maxShown: number
  readonly maxTextBytes: number
  /** Beyond this much output the rest is not even counted. */
  readonly maxCountedBytes: number
  /** Makes of the beginning of a line that ripgrep has cut what may be shown. */
  readonly redactCutLine?: ((text: string) => string) | undefined
}

export interface Collected {
  readonly text: string
  readonly shown: number
  /** Matches, or names, that were counted but not shown. */
  readonly leftOut: number
}

export interface OutputCollector {
  /** False when nothing more is wanted. */
  push(chunk: Uint8Array): boolean
  finish(): Collected
}

/** Matches and names are counted. */
type LineKind = 'counted' | 'context' | 'divider'

interface LineBuffer {
  add(line: string, kind: LineKind): void
  collected(): Collected
}

/** Keeps lines until a limit is reached; from then on only counts. */
function bufferLines(limits: OutputLimits): LineBuffer {
  const lines: string[] = []
  let textBytes = 0
  let shown = 0
  let leftOut = 0
  let full = false
  return {
    add(line, kind) {
      // The context behind the last match still belongs to it.
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

/** Reads `path NUL number : text` (match) and `path NUL number - text` (context); shows each path once, as a heading. */
export function collectMatches(limits: OutputLimits): OutputCollector {
  const shelf = bufferLines(limits)
  let lastPath: string | null = null

  function takeRecord(path: string, line: string): void {
    const separated = /^--\r?\n/.test(path)
    const name = cleanPath(path)
    if (name !== lastPath) shelf.add(`${lastPath === null ? '' : '\n'}${visiblePath(name)}`, 'divider')
    else if (separated) shelf.add('--', 'divider')
    lastPath = name
    shelf.add(showable(line.replace(/\r$/, ''), limits), /^\d+:/.test(line) ? 'counted' : 'context')
  }

  return collector(limits, shelf, (buffer) => {
    const pathEnd = buffer.indexOf(0)
    const lineEnd = pathEnd === -1 ? -1 : buffer.indexOf(0x0a, pathEnd)
    if (lineEnd === -1) return 0
    takeRecord(buffer.toString('utf8', 0, pathEnd), buffer.toString('utf8', pathEnd + 1, lineEnd))
    return lineEnd + 1
  })
}

/** What ripgrep writes where it cuts a line. */
const cutHere = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/

function showable(line: string, { redactCutLine: beginning }: OutputLimits): string {
  const cut = cutHere.exec(line)
  return cut === null || beginning === undefined ? line : beginning(line.slice(0, cut.index)) + cut[0]
}

/** Reads names that each end with a NUL. */
export function collectNames(limits: OutputLimits): OutputCollector {
  const shelf = bufferLines(limits)
  return collector(limits, shelf, (buffer) => {
    const end = buffer.indexOf(0)
    if (end === -1) return 0
    shelf.add(visiblePath(cleanPath(buffer.toString('utf8', 0, end))), 'counted')
    return end + 1
  })
}

/** `takeOne` consumes one record from the front of a buffer and says how long it was, or 0 when it is not whole yet. */
function collector(limits: OutputLimits, shelf: LineBuffer, takeOne: (buffer: Buffer) => number): OutputCollector {
  let rest = Buffer.alloc(0)
  let seenBytes = 0
  return {
    push(chunk) {
      seenBytes += chunk.length
      rest = Buffer.concat([rest, chunk])
      for (let taken = takeOne(rest); taken > 0; taken = takeOne(rest)) rest = rest.subarray(taken)
      return seenBytes < limits.maxCountedBytes
    },
    finish: () => shelf.collected(),
  }
}

/** Group separators and ripgrep's remarks on binary files come before a path, on lines of their own. */
function cleanPath(path: string): string {
  const remarks = /^(?:--\r?\n|.*: (?:WARNING: stopped searching binary file|binary file matches).*\r?\n)+/
  return path.replace(remarks, '').replace(/^\.\//, '')
}
