/** Paths as text: no link is followed and nothing is looked up. */

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Absolute and without `.`, `..` and double slashes. */
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
