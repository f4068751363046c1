import type { Source } from './sources.ts'
import { lineCounter, walk } from './syntax.ts'
import { nameIn, type TypeTable } from './type-table.ts'

const ownerLimit = 3

const declarations = ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration', 'TSEnumDeclaration']

/** Returns types, exported or not, with a name of more than three owners, because a reader cannot tell the meaning. */
export function typeNameViolations(sources: readonly Source[], table: TypeTable): string[] {
  const types = sources.flatMap(({ path, text }) => {
    const lineAt = lineCounter(text)
    const found: { name: string; at: string }[] = []
    walk(table.programs.get(path), (node) => {
      if (declarations.includes(node.type))
        found.push({ name: nameIn(node['id']), at: `${path}:${lineAt(node.start)}` })
    })
    return found
  })
  const owners = Map.groupBy(types, ({ name }) => name)
  return types.flatMap(({ name, at }) => {
    const count = owners.get(name)?.length ?? 0
    return count > ownerLimit ? [`${at} ${name} is the name of ${count} types`] : []
  })
}
