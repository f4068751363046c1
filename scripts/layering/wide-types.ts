import type { Source } from './sources.ts'
import { lineCounter, type Node, walk } from './syntax.ts'
import { nameIn, nodesIn, type TypeTable } from './type-table.ts'

const memberLimit = 12

/** Lists of fields that are no ports: schemas, arguments of a command line, the state of a screen. */
const fieldLists = /(Flags|Arguments|UiState)$/
const schemas = /schema/

/** Returns interfaces and object types with more members than one can keep in mind, inherited ones counted. */
export function wideTypeViolations(sources: readonly Source[], table: TypeTable): string[] {
  return sources.flatMap(({ path, text }) => {
    if (schemas.test(path)) return []
    const lineAt = lineCounter(text)
    return objectTypesOf(table.programs.get(path)).flatMap(({ name, node }) => {
      if (fieldLists.test(name) || schemas.test(name)) return []
      const count = table.membersOf({ path, node })?.size ?? 0
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
