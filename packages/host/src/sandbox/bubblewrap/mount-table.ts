import { readFileSync } from 'node:fs'
import { isWithin } from '../../system/real-path.ts'

/** Line of `/proc/self/mountinfo`. */
export interface MountLine {
  readonly id: string
  readonly parent: string
  readonly device: string
  /** Path within the device that is mounted. */
  readonly root: string
  /** Path at which it is mounted. */
  readonly point: string
}

export function readMountTable(): MountLine[] {
  return parseMountTable(readFileSync('/proc/self/mountinfo', 'utf8'))
}

export function parseMountTable(text: string): MountLine[] {
  return text.split('\n').flatMap((line) => {
    const [id, parent, device, root, point] = line.split(' ')
    if (id === undefined || parent === undefined || device === undefined) return []
    return root === undefined || point === undefined
      ? []
      : [{ id, parent, device, root: plain(root), point: plain(point) }]
  })
}

/**
 * Returns the table entry, from the device on, of a path that is mounted over itself: device, path within the device and
 * mount point. Null where the table does not hold them.
 */
export function mountedOverItself(path: string, table: readonly MountLine[]): string | null {
  const around = mountAround(path, table)
  if (around === null) return null
  const below = path.slice(around.point === '/' ? 0 : around.point.length)
  const root = around.root === '/' ? below || '/' : `${around.root}${below === '/' ? '' : below}`
  return ` ${around.device} ${escaped(root)} ${escaped(path)} `
}

/** Finds the mount of a path from the root down, as the system does, so that covered mounts do not count. */
function mountAround(path: string, table: readonly MountLine[]): MountLine | null {
  const ids = new Set(table.map(({ id }) => id))
  let at = table.find(({ id, parent, point }) => point === '/' && (parent === id || !ids.has(parent))) ?? null
  for (let next = at; next !== null; next = stepInto(path, next, table)) at = next
  return at
}

function stepInto(path: string, { id }: MountLine, table: readonly MountLine[]): MountLine | null {
  const inside = table.filter(({ parent, point, id: own }) => parent === id && own !== id && isWithin(path, point))
  return inside.reduce<MountLine | null>(
    (first, each) => (first === null || each.point.length < first.point.length ? each : first),
    null,
  )
}

function plain(text: string): string {
  return text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}

function escaped(path: string): string {
  return path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`)
}
