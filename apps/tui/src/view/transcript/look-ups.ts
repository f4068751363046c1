import type { CallItem, Item, ItemOf } from '@parley/protocol'
import { visibleLine } from '../text/control-characters.ts'
import { truncateLine, truncateText } from '../text/fit-rows.ts'
import { count } from '../text/formats.ts'
import { type Line, lineText, type Room } from '../text/span.ts'
import { cellWidth } from '../text/width.ts'
import type { Block } from './block.ts'
import { answerNote, rightsWords } from './call-facts.ts'

/** Cells of one look-up in the row of its group. */
const wordCells = 48

/** Returns a group of look-ups as one row: as many as fit, and the number of the others. */
export function lookUpBlock(words: readonly string[], room: Room, verb = 'Looked at'): Block {
  const shown = [...new Set(words)].map((text) => truncateText(text, { ...room, columns: wordCells }))
  for (let kept = shown.length; kept > 0; kept--) {
    const row = groupRow(shown.slice(0, kept), moreWords(shown.length - kept, ' (Ctrl+T)'), verb)
    if (cellWidth(lineText(row), room.ambiguous) <= room.columns) return { kind: 'lookUp', lines: [row] }
  }
  const row = groupRow(shown.slice(0, 1), moreWords(shown.length - 1, ''), verb)
  return { kind: 'lookUp', lines: [truncateLine(row, room)] }
}

function moreWords(others: number, key: string): string {
  return others > 0 ? ` · … ${count(others)} more${key}` : ''
}

function groupRow(words: readonly string[], more: string, verb: string): Line {
  return [
    { text: '• ', tone: 'muted', bold: true },
    { text: `${verb}  ${words.join(' · ')}${more}`, tone: 'muted' },
  ]
}

/** Returns what a finished call looked at; null unless it only looked, went well, and had no more rights than others. */
export function lookedAt(item: Item): string | null {
  if (item.type !== 'toolCall' && item.type !== 'commandExecution') return null
  if (item.status !== 'completed' || rightsWords(item) !== null || answerNote(item) !== null) return null
  return item.type === 'toolCall' ? readWords(item) : commandWords(item)
}

/** Returns what a running call looks at; null for other calls. */
export function looksAt(item: Item): string | null {
  return item.type === 'toolCall' && item.output === undefined ? readWords(item) : null
}

function readWords({ facts, title, text, output, failure }: ItemOf<'toolCall'>): string | null {
  if (facts?.['kind'] !== 'read' || output !== undefined || failure !== undefined) return null
  const place = visibleLine(title.replace(/^(?:Read|List|Search|Find files) /, ''))
  return title.startsWith('Search ') && text !== '' ? `${place} ${hits(text.match(/^\d+:/gm)?.length ?? 0)}` : place
}

function hits(found: number): string {
  return found === 1 ? '(1 hit)' : `(${found === 0 ? 'no' : count(found)} hits)`
}

/** Programs that show files, their names, or the state of a repository. */
const lookingPrograms: ReadonlySet<string> = new Set([
  ...['cat', 'ls', 'grep', 'egrep', 'fgrep', 'rg', 'sed', 'head', 'tail', 'find', 'wc', 'git', 'nl', 'pwd', 'file'],
  ...['stat', 'du', 'tree', 'sort', 'uniq', 'cut', 'which', 'diff', 'cmp', 'basename', 'dirname', 'realpath'],
])

/** Returns what a command looked at, where the server says that all its programs only look. */
function commandWords(item: ItemOf<'commandExecution'>): string | null {
  const { facts, exitCode, background, sandboxBlock } = item
  if (exitCode !== 0 || background || sandboxBlock !== undefined || facts?.['knownSafe'] !== true) return null
  const parts = wordsOfParts(facts)
  if (parts.length === 0 || !parts.every(([program = '']) => lookingPrograms.has(program))) return null
  const [argv = []] = parts
  const short = parts.length === 1 ? operands(argv) : null
  return visibleLine(short ?? item.text)
}

function wordsOfParts(facts: NonNullable<CallItem['facts']>): readonly (readonly string[])[] {
  const parts = facts['parts']
  if (!Array.isArray(parts)) return []
  return parts.map((part: unknown) => {
    const argv: unknown = typeof part === 'object' && part !== null ? Reflect.get(part, 'argv') : undefined
    return Array.isArray(argv) ? argv.map(String) : []
  })
}

/** Returns the files of a plain command such as `cat` or `sed -n`; null for one that is shown as written. */
function operands([program = '', ...args]: readonly string[]): string | null {
  const words = args.filter((arg) => !arg.startsWith('-'))
  switch (program) {
    case 'cat':
    case 'nl':
      return words.length > 0 ? words.join(' · ') : null
    case 'ls':
      return words.length > 0 ? words.join(' · ') : '.'
    case 'sed':
      return words.length > 1 ? words.slice(1).join(' · ') : null
    case 'head':
    case 'tail':
      return words.at(-1) ?? null
    default:
      return null
  }
}

/** Returns true for a call whose text is a check list, because the plan is shown as a row of its own. */
export function isPlanUpdate(item: Item): boolean {
  if (item.type !== 'toolCall' || item.status !== 'completed' || item.facts?.['kind'] !== 'other') return false
  return item.text !== '' && item.text.split('\n').every((line) => /^\[[ x>]\] /.test(line))
}
