import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { isRelative, packageOf } from './import-rules.ts'
import { root, type Source } from './sources.ts'
import { isNode, type Node, parseSource } from './syntax.ts'

/** A syntax node, and the path of its source, to resolve the names below it. */
export type Located = { readonly path: string; readonly node: Node }

/** Declarations of all sources by file and name, with the imports that lead from one file to another. */
export type TypeTable = {
  readonly programs: ReadonlyMap<string, Node>
  /** Follows imports and re-exports to the declaration of a type, class, function or value. */
  lookUp(path: string, name: string): Located | undefined
  /** Returns the members of an object type by name, with inherited ones; undefined for any other type. */
  membersOf(type: Located): ReadonlyMap<string, Located> | undefined
}

type FileNames = {
  readonly declared: ReadonlyMap<string, Node>
  readonly imported: ReadonlyMap<string, { readonly specifier: string; readonly name: string }>
  /** Files of `export * from`. */
  readonly starred: readonly string[]
}

export const nodesIn = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : [])
export const nameIn = (value: unknown): string => (isNode(value) ? String(value['name'] ?? value['value'] ?? '') : '')

export function createTypeTable(sources: readonly Source[]): TypeTable {
  const programs = new Map<string, Node>()
  for (const { path, text } of sources) {
    const program = parseSource(path, text)
    if (isNode(program)) programs.set(path, program)
  }
  const names = new Map([...programs].map(([path, program]) => [path, namesOf(program)]))
  const entries = new Map<string, string | undefined>()
  const targetOf = (from: string, specifier: string): string | undefined => {
    if (isRelative(specifier)) return posix.join(posix.dirname(from), specifier)
    if (!entries.has(specifier)) entries.set(specifier, packageEntry(specifier))
    return entries.get(specifier)
  }

  function lookUp(path: string, name: string, depth = 0): Located | undefined {
    const file = names.get(path)
    if (file === undefined || depth > 10) return undefined
    const node = file.declared.get(name)
    if (node !== undefined) return { path, node }
    const imported = file.imported.get(name)
    const targets = imported === undefined ? file.starred : [imported.specifier]
    return targets
      .map((specifier) => targetOf(path, specifier))
      .filter((target) => target !== undefined)
      .map((target) => lookUp(target, imported?.name ?? name, depth + 1))
      .find((found) => found !== undefined)
  }

  function membersOf({ path, node }: Located, depth = 0): ReadonlyMap<string, Located> | undefined {
    if (depth > 20) return undefined
    const inner = (type: unknown, from = path) =>
      isNode(type) ? membersOf({ path: from, node: type }, depth + 1) : undefined
    const joined = (parts: readonly (ReadonlyMap<string, Located> | undefined)[]) =>
      new Map(parts.flatMap((part) => [...(part ?? [])]))
    switch (node.type) {
      case 'TSInterfaceDeclaration':
        return joined([inner(node['body']), ...nodesIn(node['extends']).map((type) => inner(type))])
      case 'TSInterfaceBody':
      case 'TSTypeLiteral':
        return ownMembers(path, nodesIn(node['body'] ?? node['members']))
      case 'ClassDeclaration':
        return isNode(node['body']) ? ownMembers(path, publicMembers(nodesIn(node['body']['body']))) : undefined
      case 'TSTypeAliasDeclaration':
      case 'TSParenthesizedType':
      case 'TSTypeAnnotation':
        return inner(node['typeAnnotation'])
      case 'TSIntersectionType':
        return joined(nodesIn(node['types']).map((type) => inner(type)))
      case 'TSUnionType':
        return inner(onlyObject(nodesIn(node['types'])))
      case 'TSTypeReference':
      case 'TSInterfaceHeritage':
        return referred(node)
      default:
        return undefined
    }

    function referred(reference: Node): ReadonlyMap<string, Located> | undefined {
      const name = nameIn(reference['typeName'] ?? reference['expression'])
      const given = isNode(reference['typeArguments']) ? nodesIn(reference['typeArguments']['params']) : []
      const found = lookUp(path, name)
      if (found !== undefined) return inner(found.node, found.path)
      if (!/^(Readonly|Partial|Required|Pick|Omit|NonNullable|Awaited|Promise)$/.test(name)) return undefined
      const members = inner(given[0])
      if (members === undefined || !/^(Pick|Omit)$/.test(name)) return members
      const keys = literalsOf(given[1])
      return new Map([...members].filter(([key]) => keys.includes(key) === (name === 'Pick')))
    }
  }

  return { programs, lookUp: (path, name) => lookUp(path, name), membersOf: (type) => membersOf(type) }
}

function namesOf(program: Node): FileNames {
  const statements = nodesIn(program['body'])
  const declarations = statements.map(({ declaration }, index) => declaration ?? statements[index]).filter(isNode)
  const from = statements.filter(({ source }) => isNode(source))
  return {
    declared: new Map(
      declarations
        .flatMap((node) => [...(isNode(node['id']) ? [node] : []), ...nodesIn(node['declarations'])])
        .map((node) => [nameIn(node['id']), node]),
    ),
    imported: new Map(
      from.flatMap((statement) => nodesIn(statement['specifiers']).map((one) => importedBy(statement, one))),
    ),
    starred: from.filter(({ type }) => type === 'ExportAllDeclaration').map(({ source }) => nameIn(source)),
  }
}

function importedBy(statement: Node, one: Node): [local: string, from: { specifier: string; name: string }] {
  const isImport = statement.type === 'ImportDeclaration'
  const [local, name] = isImport ? [one['local'], one['imported']] : [one['exported'], one['local']]
  return [nameIn(local), { specifier: nameIn(statement['source']), name: nameIn(name) }]
}

/** Returns the source behind a package's name, or behind one of its further entries. */
function packageEntry(specifier: string): string | undefined {
  const name = packageOf(specifier)
  if (!name.startsWith('@parley/')) return undefined
  const home = name.replace('@parley/', 'packages/')
  const { exports } = JSON.parse(readFileSync(join(root, home, 'package.json'), 'utf8'))
  const entry = exports?.[`.${specifier.slice(name.length)}`]?.['@parley/source']
  return typeof entry === 'string' ? posix.join(home, entry) : undefined
}

function ownMembers(path: string, members: readonly Node[]): Map<string, Located> {
  return new Map(members.filter((node) => isNode(node['key'])).map((node) => [nameIn(node['key']), { path, node }]))
}

function publicMembers(members: readonly Node[]): Node[] {
  return members.filter(
    ({ key, kind, static: isStatic, accessibility }) =>
      isNode(key) &&
      key.type !== 'PrivateIdentifier' &&
      kind !== 'constructor' &&
      isStatic !== true &&
      accessibility !== 'private',
  )
}

/** Returns the object of a union with `undefined` or `null`; undefined for a union of several. */
function onlyObject(types: readonly Node[]): Node | undefined {
  const objects = types.filter(({ type }) => type !== 'TSUndefinedKeyword' && type !== 'TSNullKeyword')
  return objects.length === 1 ? objects[0] : undefined
}

function literalsOf(type: Node | undefined): string[] {
  const types = type?.type === 'TSUnionType' ? nodesIn(type['types']) : type === undefined ? [] : [type]
  return types.map((one) => nameIn(one['literal']))
}
