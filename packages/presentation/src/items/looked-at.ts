import type { CallItem, Item, ItemOf } from '@parley/protocol'
import { visibleLine } from '../text/control-characters.ts'
import { count } from '../text/formats.ts'
import { answerNote, rightsWords } from './call-facts.ts'

/**
 * Returns the target of a finished look-up; null for a call that failed, did more than look, or had more rights than
 * others.
 */
export function lookedAt(item: Item): string | null {
  if (item.type !== 'toolCall' && item.type !== 'commandExecution') return null
  if (item.status !== 'completed' || rightsWords(item) !== null || answerNote(item) !== null) return null
  return item.type === 'toolCall' ? readWords(item) : commandWords(item)
}

/** Returns the target of a running look-up; null for other calls. */
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

/** Returns the files that a command looked at, where the server says that all its programs only look. */
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
