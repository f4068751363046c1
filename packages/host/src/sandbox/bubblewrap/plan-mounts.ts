import { isWithin } from '../../system/real-path.ts'

/** Facts found on the machine. All paths are absolute and real. */
export interface MountFacts {
  /** Folders that may be written to. */
  readonly writable: readonly string[]
  /** Paths visible but not writable: a read-only workspace and exceptions from hidden folders. */
  readonly readable: readonly string[]
  /** Protected paths within the writable ones. */
  readonly kept: readonly string[]
  readonly hiddenFolders: readonly string[]
  readonly hiddenFiles: readonly string[]
  /** Folder that commands see as /tmp; null gives an empty one. */
  readonly scratch: string | null
}

type MountKind =
  | 'root'
  | 'devices'
  | 'processes'
  | 'memory'
  | 'temporary'
  | 'writable'
  | 'readable'
  | 'kept'
  | 'emptyFolder'
  | 'emptyFile'
  /** Folder on the way to a protected path: writable, but cannot be renamed. */
  | 'pinned'

export interface Mount {
  readonly kind: MountKind
  readonly path: string
}

const base: readonly Mount[] = [
  { kind: 'root', path: '/' },
  { kind: 'devices', path: '/dev' },
  { kind: 'memory', path: '/dev/shm' },
  { kind: 'processes', path: '/proc' },
  { kind: 'temporary', path: '/tmp' },
]

/** Order of precedence for mounts on the same path. */
const precedence: readonly MountKind[] = [
  'root',
  'devices',
  'processes',
  'emptyFolder',
  'emptyFile',
  'kept',
  'readable',
  'writable',
  'memory',
  'temporary',
  'pinned',
]

/** Plans the mounts in the order of mounting: a mount within another comes after it. */
export function planMounts(facts: MountFacts): Mount[] {
  const all = [...base, ...mountsOf(facts)]
  const planned: Mount[] = []
  for (const mount of sorted(all)) {
    const around = planned.findLast(({ path }) => isWithin(mount.path, path))
    if (around === undefined || isNeeded(mount, around)) planned.push(mount)
  }
  return sorted([...planned, ...pins(planned)])
}

/** Returns true for a path at which the command sees what lies there outside. */
export function isVisible(path: string, mounts: readonly Mount[]): boolean {
  const around = mounts.findLast((mount) => isWithin(path, mount.path))
  return around !== undefined && ['root', 'writable', 'readable', 'kept', 'pinned'].includes(around.kind)
}

function mountsOf(facts: MountFacts): Mount[] {
  const of = (kind: MountKind, paths: readonly string[]) => paths.map((path) => ({ kind, path }))
  return [
    ...of('emptyFolder', facts.hiddenFolders),
    ...of('emptyFile', facts.hiddenFiles),
    ...of('kept', facts.kept),
    ...of('readable', facts.readable),
    ...of('writable', facts.writable),
  ]
}

/** Returns false when the nearest mount around this one already has the same effect. */
function isNeeded({ kind, path }: Mount, around: Mount): boolean {
  if (path === around.path) return false
  switch (kind) {
    case 'kept':
      // A writable folder that is kept as a whole may lie in one that starts empty.
      return ['writable', 'temporary', 'memory'].includes(around.kind)
    case 'emptyFolder':
    case 'emptyFile':
      return !['emptyFolder', 'devices', 'memory', 'processes', 'temporary'].includes(around.kind)
    case 'readable':
      return !['root', 'kept', 'readable', 'processes'].includes(around.kind)
    case 'writable':
      return !['writable', 'processes'].includes(around.kind)
    case 'root':
    case 'devices':
    case 'processes':
    case 'memory':
    case 'temporary':
    case 'pinned':
      return true
  }
}

/**
 * Adds mounts for the folders above protected paths, because a mount point cannot be renamed. If a command renamed such
 * a folder, the next command would see hidden files or write to a repository under its new name.
 */
function pins(planned: readonly Mount[]): Mount[] {
  return planned.flatMap(({ kind, path }) => {
    if (kind !== 'emptyFolder' && kind !== 'emptyFile' && kind !== 'kept') return []
    const around = planned.findLast((other) => other.path !== path && isWithin(path, other.path))
    return around?.kind === 'writable'
      ? between(around.path, path).map((at) => ({ kind: 'pinned' as const, path: at }))
      : []
  })
}

function between(outer: string, inner: string): string[] {
  const names = inner.slice(outer.length + 1).split('/')
  return names.slice(1).map((_, index) => [outer, ...names.slice(0, index + 1)].join('/'))
}

/** Sorts by path components, so that a path precedes what lies within it; one mount for each path. */
function sorted(mounts: readonly Mount[]): Mount[] {
  const byPath = new Map<string, Mount>()
  for (const mount of mounts) {
    const other = byPath.get(mount.path)
    if (other === undefined || rank(mount) < rank(other)) byPath.set(mount.path, mount)
  }
  return [...byPath.values()].sort((a, b) => compare(key(a.path), key(b.path)))
}

const rank = ({ kind }: Mount) => precedence.indexOf(kind)
/** Replaces slashes by NUL, which no name holds and which sorts before all that a name may hold. */
const key = (path: string) => path.replaceAll('/', '\0')
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
