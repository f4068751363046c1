import { isDeepStrictEqual } from 'node:util'
import type { ToolOutcome } from '../../tools/contract/tool.ts'

/** Field in which the outcome of a call that ran again is another one. */
export interface OutcomeDifference {
  readonly path: string
  readonly logged: unknown
  readonly replayed: unknown
}

/** Compares what a call did then and now: how it ended, and what it said without what is never the same twice. */
export function compareOutcomes(
  logged: ToolOutcome,
  replayed: ToolOutcome,
  lasting: (text: string) => string,
): OutcomeDifference | null {
  const [then, now] = [logged, replayed].map((outcome) => comparedFields(outcome, lasting))
  for (const path of new Set([...Object.keys(then ?? {}), ...Object.keys(now ?? {})])) {
    const [before, after] = [then?.[path], now?.[path]]
    if (!isDeepStrictEqual(before, after)) return { path, logged: before, replayed: after }
  }
  return null
}

function comparedFields(
  { status, failure, fields = {}, modelText }: ToolOutcome,
  lasting: (text: string) => string,
): Readonly<Record<string, unknown>> {
  const { exitCode, signal, output, changes, text } = fields
  const said = output === undefined ? {} : { output: lasting(output.head), outputEnd: lasting(output.tail) }
  return {
    status,
    failure: failure?.code,
    exitCode,
    signal,
    ...said,
    changes: changes?.map(({ path, movedTo, kind, diff }) => ({ path: lasting(path), movedTo, kind, diff })),
    ...(output === undefined ? { text: lasting(text ?? modelText) } : {}),
  }
}

/** Patterns of what is never the same twice, in the order in which they are replaced, with the mark for each. */
const passing: readonly (readonly [RegExp, string])[] = [
  [/(?<![\w./-])(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s'"`:;,)\]}>]+/g, '<temporary>'],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?/g, '<time>'],
  [
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +)?(?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* +\d{1,4}\b(?:,? +\d{4}\b)?/g,
    '<time>',
  ],
  [/\b\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?(?: ?[AP]M)?(?: +[A-Z]{3,4}\b)?(?: +\d{4}\b)?/g, '<time>'],
  [/\b\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/g, '<time>'],
  [/\b1\d{9}(?:\d{3}|\.\d+)?\b/g, '<time>'],
  [/\b(pid|process|job)([ :=#]*)\d+/gi, '$1$2<process>'],
  [/^\[(\d+)\] \d+$/gm, '[$1] <process>'],
  [/<time>(?:,? +<time>)+/g, '<time>'],
]

/** Returns a text without times, process ids and temporary paths, and with one name for the folder of the work. */
export function lastingText(text: string, folders: readonly string[]): string {
  const named = folders.reduce((all, folder) => all.replace(inText(folder), '<folder>'), text)
  return passing.reduce((all, [found, mark]) => all.replace(found, mark), named)
}

/** Returns a pattern that finds a folder in a text, and no other whose name begins or ends with it. */
export function inText(folder: string): RegExp {
  return new RegExp(`(?<![\\w./-])${folder.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)}(?![\\w-]|\\.\\w)`, 'g')
}
