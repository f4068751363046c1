import { componentsOf } from './path-text.ts'

/** `*` and `?` stay inside a component, `**` as a whole component spans any number; a final `/` means all below. */
export function matchesPathPattern(pattern: string, path: string, cwd: string): boolean {
  const names = componentsOf(path)
  return lastOf(rowsOf(wantedComponents(pattern, cwd), names)).has(names.length)
}

/** Whether below a folder that does not fit itself a path might: the folder fits a beginning of the pattern. */
export function mayMatchBelow(pattern: string, folder: string, cwd: string): boolean {
  const names = componentsOf(folder)
  const ofBeginnings = rowsOf(wantedComponents(pattern, cwd), names).slice(0, -1)
  return ofBeginnings.some((reached) => reached.has(names.length))
}

function wantedComponents(pattern: string, cwd: string): string[] {
  const absolute = pattern.startsWith('/') ? pattern : `${cwd}/${pattern}`
  return componentsOf(absolute.endsWith('/') ? `${absolute}**` : absolute).filter((name) => name !== '.')
}

/**
 * After each beginning of the pattern, how many components of the path it may have used up. Row by row over the
 * pattern, so that many `**` cost no more than pattern times path.
 */
function rowsOf(pattern: readonly string[], path: readonly string[]): ReadonlySet<number>[] {
  const rows = [new Set([0])]
  for (const name of pattern) {
    const next = new Set<number>()
    for (const at of lastOf(rows)) {
      if (name === '**') for (let end = at; end <= path.length; end++) next.add(end)
      else if (at < path.length && fitsName(name, path[at] ?? '')) next.add(at + 1)
    }
    rows.push(next)
  }
  return rows
}

function lastOf(rows: readonly ReadonlySet<number>[]): ReadonlySet<number> {
  return rows.at(-1) ?? new Set()
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
