import type { Source } from './sources.ts'
import { lineCounter, type Node, walk } from './syntax.ts'
import { type Located, nameIn, nodesIn, type TypeTable } from './type-table.ts'

const memberLimit = 12

/** Lists of fields that are no ports: schemas, arguments of a command line, the state of a screen. */
const fieldLists = /(Flags|Arguments|UiState)$/
const schemas = /schema/

/**
 * Returns interfaces and object types with more members than one can keep in mind. Inherited members count, too, but
 * for roles: types that something takes by themselves.
 */
export function wideTypeViolations(sources: readonly Source[], table: TypeTable): string[] {
  const objectTypes = sources.map((source) => ({ ...source, types: objectTypesOf(table.programs.get(source.path)) }))
  const roles = rolesOf(sources, table)
  return objectTypes.flatMap(({ path, text, types }) => {
    if (schemas.test(path)) return []
    const lineAt = lineCounter(text)
    return types.flatMap(({ name, node }) => {
      if (fieldLists.test(name) || schemas.test(name)) return []
      const count = memberCount({ path, node }, roles, table)
      return count > memberLimit ? [`${path}:${lineAt(node.start)} ${name} has ${count} members`] : []
    })
  })
}

/** Returns each declared interface, and each literal or intersection of object types, once and with its name. */
function objectTypesOf(program: Node | undefined): { readonly name: string; readonly node: Node }[] {
  const found: { name: string; node: Node }[] = []
  const named = new Map<unknown, string>()
  const inside = new Set<Node>()
  walk(program, (node) => {
    if (node.type === 'TSTypeAliasDeclaration') named.set(node['typeAnnotation'], nameIn(node['id']))
    if (node.type === 'TSInterfaceDeclaration') found.push({ name: nameIn(node['id']), node })
    if (node.type !== 'TSTypeLiteral' && node.type !== 'TSIntersectionType') return
    if (inside.has(node)) return
    const types = nodesIn(node['types'])
    for (const type of types) inside.add(type)
    const parts = types.map((part) => nameIn(part['typeName']))
    const name = named.get(node) ?? parts.find((part) => fieldLists.test(part)) ?? 'a type without a name'
    found.push({ name, node })
  })
  return found
}

/** Returns the declarations that a parameter, member or value names as its type. */
function rolesOf(sources: readonly Source[], table: TypeTable): ReadonlySet<Node> {
  const roles = new Set<Node>()
  for (const { path } of sources) {
    const joined = new Set<Node>()
    walk(table.programs.get(path), (node) => {
      if (node.type === 'TSIntersectionType') for (const type of nodesIn(node['types'])) joined.add(type)
      if (node.type !== 'TSTypeReference' || joined.has(node)) return
      const found = table.lookUp(path, nameIn(node['typeName']))
      if (found !== undefined) roles.add(found.node)
    })
  }
  return roles
}

/** Counts the own members of a type and of the types that it consists of, except roles. */
function memberCount({ path, node }: Located, roles: ReadonlySet<Node>, table: TypeTable): number {
  const sum = (types: readonly Node[]) =>
    types.reduce((total, type) => total + memberCount({ path, node: type }, roles, table), 0)
  switch (node.type) {
    case 'TSInterfaceDeclaration':
      return sum([...nodesIn([node['body']]), ...nodesIn(node['extends'])])
    case 'TSIntersectionType':
      return sum(nodesIn(node['types']))
    case 'TSTypeAliasDeclaration':
      return sum(nodesIn([node['typeAnnotation']]))
    case 'TSTypeReference':
    case 'TSInterfaceHeritage': {
      const found = table.lookUp(path, nameIn(node['typeName'] ?? node['expression']))
      if (found !== undefined) return roles.has(found.node) ? 0 : memberCount(found, roles, table)
    }
  }
  return table.membersOf({ path, node })?.size ?? 0
}
