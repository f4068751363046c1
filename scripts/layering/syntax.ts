import { parseAst } from 'vitest/node'

export type Import = {
  readonly specifier: string
  /** Erased at run time. */
  readonly typeOnly: boolean
  /** Neither an `export … from` nor loaded when it is needed. */
  readonly binds: boolean
  readonly line: number
}

type Finding = { readonly what: string; readonly line: number }

export type Syntax = {
  readonly imports: readonly Import[]
  /** Free-standing names (not members, keys or labels) and `Math.random`, where they are mentioned. */
  readonly names: readonly Finding[]
  /** `any`, `!` and casts. */
  readonly looseTypes: readonly Finding[]
  /** Lists of any length spread into the arguments of a call that takes many. */
  readonly longSpreads: readonly Finding[]
}

export type Node = { readonly type: string; readonly start: number; readonly [field: string]: unknown }

/** Reads the imports, names and loose types of one TypeScript source. */
export function readSyntax(path: string, text: string): Syntax {
  const imports: Import[] = []
  const names: Finding[] = []
  const looseTypes: Finding[] = []
  const longSpreads: Finding[] = []
  const lineAt = lineCounter(text)
  walk(parseSource(path, text), (node) => {
    const imported = importOf(node)
    if (imported) imports.push({ ...imported, line: lineAt(node.start) })
    const name = nameOf(node)
    if (name !== undefined) names.push({ what: name, line: lineAt(node.start) })
    const loose = looseTypeOf(node)
    if (loose !== undefined) looseTypes.push({ what: loose, line: lineAt(node.start) })
    if (spreadsLongList(node))
      longSpreads.push({ what: text.slice(node.start, node.start + 40), line: lineAt(node.start) })
  })
  return { imports, names, looseTypes, longSpreads }
}

export function parseSource(path: string, text: string): unknown {
  return parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' })
}

/** Visits a node and all nodes below it, but no names of members and keys. */
export function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const element of value) walk(element, visit)
    return
  }
  if (!isNode(value)) return
  visit(value)
  for (const [field, child] of Object.entries(value)) {
    if (typeof child === 'object' && !isPlainKey(value, field)) walk(child, visit)
  }
}

/** A member's name or an object's key says nothing about a global of that name. */
function isPlainKey(node: Node, field: string): boolean {
  if (node['computed'] === true) return false
  if (field === 'property') return node.type === 'MemberExpression'
  return field === 'key' && node['shorthand'] !== true
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

const takingMany = new Set(['push', 'unshift', 'max', 'min'])

/** Tells if a list of unknown length becomes arguments of a call. Each argument takes room on the stack. */
function spreadsLongList(node: Node): boolean {
  const { callee, arguments: given } = node
  if (node.type !== 'CallExpression' || !isNode(callee) || !Array.isArray(given)) return false
  const property = callee['property']
  if (!isNode(property) || !takingMany.has(String(property['name']))) return false
  return given.some(
    (argument: unknown) => isNode(argument) && argument.type === 'SpreadElement' && !isShort(argument['argument']),
  )
}

/** Tells if an expression is a list of the elements that are written in it, or one of two such lists. */
function isShort(list: unknown): boolean {
  if (!isNode(list)) return false
  if (list.type === 'ConditionalExpression') return isShort(list['consequent']) && isShort(list['alternate'])
  const { elements } = list
  return (
    Array.isArray(elements) && elements.every((element: unknown) => isNode(element) && element.type !== 'SpreadElement')
  )
}

function importOf(node: Node): Omit<Import, 'line'> | undefined {
  const specifier = sourceOf(node)
  return specifier === undefined
    ? undefined
    : {
        specifier,
        typeOnly: isTypeOnly(node),
        binds: node.type === 'ImportDeclaration' || node.type === 'TSImportType',
      }
}

function sourceOf(node: Node): string | undefined {
  const kinds = [
    'ImportDeclaration',
    'ExportNamedDeclaration',
    'ExportAllDeclaration',
    'ImportExpression',
    'TSImportType',
  ]
  if (!kinds.includes(node.type) || !isNode(node['source'])) return undefined
  const { value } = node['source']
  return typeof value === 'string' ? value : undefined
}

function isTypeOnly(node: Node): boolean {
  if (node.type === 'TSImportType') return true
  return node['importKind'] === 'type' || node['exportKind'] === 'type'
}

function nameOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return String(node['name'])
  if (node.type !== 'MemberExpression') return undefined
  const { object, property } = node
  const isRandom = isNode(object) && object['name'] === 'Math' && isNode(property) && property['name'] === 'random'
  return isRandom ? 'Math.random' : undefined
}

function looseTypeOf(node: Node): string | undefined {
  if (node.type === 'TSAnyKeyword') return 'any'
  if (node.type === 'TSNonNullExpression' || node['definite'] === true) return '!'
  if (node.type === 'TSTypeAssertion') return 'a cast'
  return node.type === 'TSAsExpression' && !isConst(node['typeAnnotation']) ? 'as' : undefined
}

function isConst(annotation: unknown): boolean {
  return isNode(annotation) && isNode(annotation['typeName']) && annotation['typeName']['name'] === 'const'
}

/** Returns a function from an offset in a text to its line. */
export function lineCounter(text: string): (offset: number) => number {
  const starts = [...text.matchAll(/\n/g)].map((match) => match.index)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
