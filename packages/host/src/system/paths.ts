import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'

/** Both absolute and without `.` and `..`; a folder is within itself. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

interface Followed {
  /** The place where a write would land: links followed, dangling ones too, and the missing rest appended. */
  readonly real: string
  /** The links on the way, by the real path of each. */
  readonly links: readonly string[]
}

const maxLinks = 40

/** Follows an absolute path as the system does: a `..` leaves the folder that a link before it leads to. */
export function followLinks(path: string): Followed {
  if (realOrNull(path) === path) return { real: path, links: [] }
  const links: string[] = []
  const left = path.split('/').reverse()
  let real = '/'
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      real = dirname(real)
      continue
    }
    const next = real === '/' ? `/${name}` : `${real}/${name}`
    const target = links.length < maxLinks ? targetOf(next) : null
    if (target === null) real = next
    else {
      links.push(next)
      if (target.startsWith('/')) real = '/'
      left.push(...target.split('/').reverse())
    }
  }
  return { real, links }
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync.native(path)
  } catch {
    return null
  }
}

/** Null for what is no link, or cannot be looked at. */
function targetOf(path: string): string | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null
  } catch {
    return null
  }
}
