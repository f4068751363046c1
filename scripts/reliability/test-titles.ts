import { isNode, type Node, parseSource } from '../layering/syntax.ts'

export type TestTitle = {
  /** Titles of its groups and its own as they are written, joined by ` > `. */
  readonly title: string
  /** True where it, or a group around it, is left out on every machine. */
  readonly isLeftOut: boolean
}

/** `skipIf` and `runIf` depend on the machine, so they are not among them. */
const leavingOut = ['skip', 'todo', 'fails']

/** Lists the tests of a source in the order of their lines. */
export function readTitles(path: string, text: string): readonly TestTitle[] {
  const found: TestTitle[] = []
  collect(parseSource(path, text), { title: '', isLeftOut: false }, found)
  return found
}

function collect(value: unknown, group: TestTitle, found: TestTitle[]): void {
  if (Array.isArray(value)) {
    for (const element of value) collect(element, group, found)
    return
  }
  if (!isNode(value)) return
  const opened = openedBy(value)
  const inner = opened === undefined ? group : within(group, opened)
  if (opened !== undefined && opened.words[0] !== 'describe') found.push(inner)
  for (const child of Object.values(value)) if (typeof child === 'object') collect(child, inner, found)
}

type Opened = { readonly words: readonly string[]; readonly text: string }

function within(group: TestTitle, { words, text }: Opened): TestTitle {
  return {
    title: group.title === '' ? text : `${group.title} > ${text}`,
    isLeftOut: group.isLeftOut || words.some((word) => leavingOut.includes(word)),
  }
}

/** Returns the words of a call such as `it.each(rows)('title', …)` and its title. */
function openedBy(node: Node): Opened | undefined {
  if (node.type !== 'CallExpression' || !Array.isArray(node['arguments'])) return undefined
  const words = wordsOf(node['callee'])
  if (!['describe', 'it', 'test'].includes(words[0] ?? '')) return undefined
  const text = textOf(node['arguments'][0])
  return text === undefined ? undefined : { words, text }
}

function wordsOf(callee: unknown): readonly string[] {
  if (!isNode(callee)) return []
  if (callee.type === 'Identifier') return [String(callee['name'])]
  if (callee.type === 'CallExpression') return wordsOf(callee['callee'])
  if (callee.type !== 'MemberExpression' || !isNode(callee['property'])) return []
  return [...wordsOf(callee['object']), String(callee['property']['name'])]
}

/** Returns the text of a title, with `…` for the parts that a template inserts. */
function textOf(title: unknown): string | undefined {
  if (!isNode(title)) return undefined
  if (title.type === 'Literal') return typeof title['value'] === 'string' ? title['value'] : undefined
  if (title.type !== 'TemplateLiteral' || !Array.isArray(title['quasis'])) return undefined
  return title['quasis'].map((part) => rawOf(part)).join('…')
}

function rawOf(part: unknown): string {
  if (!isNode(part)) return ''
  const { value } = part
  return typeof value === 'object' && value !== null && 'raw' in value ? String(value.raw) : ''
}
