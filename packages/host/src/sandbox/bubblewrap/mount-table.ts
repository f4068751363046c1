import { readFileSync } from 'node:fs'
import { isWithin } from '../../system/paths.ts'

/** A line of `/proc/self/mountinfo`. */
export interface MountLine {
  readonly id: string
  readonly parent: string
  readonly device: string
  /** What of the device's files is mounted, and where. */
  readonly root: string
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
 * What stands in the table, after its parent's number, for a path that was mounted over itself: which files these are,
 * by their own device and path, and where. Null where the table does not tell.
 */
export function mountedOverItself(path: string, table: readonly MountLine[]): string | null {
  const around = mountAround(path, table)
  if (around === null) return null
  const below = path.slice(around.point === '/' ? 0 : around.point.length)
  const root = around.root === '/' ? below || '/' : `${around.root}${below === '/' ? '' : below}`
  return ` ${around.device} ${escaped(root)} ${escaped(path)} `
}

/** The mount in which the path is found, walking down from the root as the system does: what is covered does not count. */
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
