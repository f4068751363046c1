/**
 * Matches a path as text. `*` and `?` stay inside a component, `**` as a whole component spans any number; a final `/`
 * means everything below.
 */
export function matchesPathPattern(pattern: string, path: string, cwd: string): boolean {
  const names = componentsOf(path)
  return lastOf(rowsOf(wantedComponents(pattern, cwd), names)).has(names.length)
}

/** Returns whether paths below a folder may match: the folder matches a beginning of the pattern. */
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
 * Returns for each beginning of the pattern the numbers of path components that it may match, in their order. Works row
 * by row over the pattern, so that many `**` cost no more than pattern times path.
 */
function rowsOf(pattern: readonly string[], path: readonly string[]): ReadonlySet<number>[] {
  const rows: ReadonlySet<number>[] = [new Set([0])]
  for (const name of pattern) {
    const reached = lastOf(rows)
    rows.push(name === '**' ? fromFirst(reached, path.length) : new Set(nextOf(reached, name, path)))
  }
  return rows
}

/** Returns all numbers from the least of them up to `last`. */
function fromFirst(reached: ReadonlySet<number>, last: number): ReadonlySet<number> {
  const [first = last + 1] = reached
  return new Set(Array.from({ length: last + 1 - first }, (_, nth) => first + nth))
}

function nextOf(reached: ReadonlySet<number>, name: string, path: readonly string[]): readonly number[] {
  return [...reached].flatMap((at) => (at < path.length && fitsName(name, path[at] ?? '') ? [at + 1] : []))
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

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Returns an absolute path without `.`, `..` and double slashes. Works on text and follows no link. */
export function absoluteFrom(cwd: string, path: string): string {
  const kept: string[] = []
  for (const name of componentsOf(path.startsWith('/') ? path : `${cwd}/${path}`)) {
    if (name === '..') kept.pop()
    else if (name !== '.') kept.push(name)
  }
  return `/${kept.join('/')}`
}

export function componentsOf(path: string): string[] {
  return path.split('/').filter((name) => name !== '')
}
