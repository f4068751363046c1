import { componentsOf } from './path-text.ts'

/** `*` and `?` stay inside a component, `**` as a whole component spans any number; a final `/` means all below. */
export function matchesPathPattern(pattern: string, path: string, cwd: string): boolean {
  const absolute = pattern.startsWith('/') ? pattern : `${cwd}/${pattern}`
  const wanted = componentsOf(absolute.endsWith('/') ? `${absolute}**` : absolute).filter((name) => name !== '.')
  return fitsComponents(wanted, componentsOf(path))
}

/** Row by row over the pattern, so that many `**` cost no more than pattern times path. */
function fitsComponents(pattern: readonly string[], path: readonly string[]): boolean {
  let reached = new Set([0])
  for (const name of pattern) {
    const next = new Set<number>()
    for (const at of reached) {
      if (name === '**') for (let end = at; end <= path.length; end++) next.add(end)
      else if (at < path.length && fitsName(name, path[at] ?? '')) next.add(at + 1)
    }
    reached = next
  }
  return reached.has(path.length)
}

function fitsName(pattern: string, name: string): boolean {
  let at = 0
  let inName = 0
  let star = -1
  let afterStar = 0
  while (inName < name.length) {
    if (pattern[at] === '*') {
      star = at++
      afterStar = inName
    } else if (pattern[at] === '?' || pattern[at] === name[inName]) {
      at++
      inName++
    } else if (star >= 0) {
      at = star + 1
      inName = ++afterStar
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
