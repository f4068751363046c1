import { isRelative, targetOf } from './import-rules.ts'
import type { Source } from './sources.ts'

/** Returns each group of sources that import each other in a circle, types included, as one line. */
export function importCircles(sources: readonly Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path))
  const edges = new Map(
    sources.map((source) => [
      source.path,
      source.syntax.imports
        .filter(({ specifier }) => isRelative(specifier))
        .map((imported) => targetOf(source, imported))
        .filter((path) => path !== source.path && paths.has(path)),
    ]),
  )
  return components(edges)
    .filter((group) => group.length > 1)
    .map((group) => group.sort().join(' ⇄ '))
}

/** Tarjan's strongly connected components. */
function components(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const indexOf = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const visit = (node: string): number => {
    const index = indexOf.size
    indexOf.set(node, index)
    stack.push(node)
    let low = index
    for (const next of edges.get(node) ?? []) {
      if (!indexOf.has(next)) low = Math.min(low, visit(next))
      else if (stack.includes(next)) low = Math.min(low, indexOf.get(next) ?? low)
    }
    if (low === index) found.push(stack.splice(stack.indexOf(node)))
    return low
  }
  for (const node of edges.keys()) if (!indexOf.has(node)) visit(node)
  return found
}
