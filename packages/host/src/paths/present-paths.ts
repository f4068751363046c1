import { readdirSync } from 'node:fs'
import { identityOf, lookAt } from '../system/real-path.ts'

/** Returns the identity of each path that exists. Most secret places do not, and a folder is listed faster than each is tried. */
export function presentAmong(paths: readonly string[]): ReadonlyMap<string, string> {
  const present = new Map<string, string>()
  for (const [folder, within] of namesByFolder(paths)) {
    if (lookAt(folder) === null) continue
    const names = namesIn(folder)
    for (const [name, path] of within) {
      const identity = names === null || names.has(name) ? identityOf(path) : null
      if (identity !== null) present.set(path, identity)
    }
  }
  return present
}

type PathsByName = readonly (readonly [name: string, path: string])[]

/** Groups of the lists in use: each command goes through its list twice, and the lists are long. */
const grouped = new WeakMap<readonly string[], ReadonlyMap<string, PathsByName>>()

function namesByFolder(paths: readonly string[]): ReadonlyMap<string, PathsByName> {
  const known = grouped.get(paths)
  if (known !== undefined) return known
  const groups = new Map<string, (readonly [string, string])[]>()
  for (const path of paths) {
    const end = path.lastIndexOf('/')
    const folder = path.slice(0, Math.max(end, 1))
    const group = groups.get(folder)
    const entry = [path.slice(end + 1), path] as const
    if (group === undefined) groups.set(folder, [entry])
    else group.push(entry)
  }
  grouped.set(paths, groups)
  return groups
}

/** Returns null for a folder that cannot be listed, although its content may be reachable. */
function namesIn(folder: string): ReadonlySet<string> | null {
  try {
    return new Set(readdirSync(folder))
  } catch {
    return null
  }
}
