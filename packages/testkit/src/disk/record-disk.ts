import { constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { DiskRecording, NodeId } from './disk-operation.ts'
import { descriptorOf, interceptDisk } from './intercept-disk.ts'
import { type LiveTree, openLiveTree } from './live-tree.ts'
import { readTree } from './tree-files.ts'

/** Recording of the changes that this process makes below a folder. */
export interface DiskRecorder extends Disposable {
  readonly recording: DiskRecording
  /** Puts a note between the operations. */
  note(note: unknown): void
}

export async function recordDisk(folder: string): Promise<DiskRecorder> {
  const root = realpathSync(folder)
  const live = openLiveTree(root)
  const files = new Map<number, OpenedFile>()
  const recording = { root, before: readTree(root), operations: live.operations }
  const interception = await interceptDisk(({ name, args }) => effects[name]?.({ live, files }, args))
  return {
    recording,
    note: (note) => live.record({ kind: 'note', note }),
    [Symbol.dispose]: () => interception[Symbol.dispose](),
  }
}

interface OpenedFile {
  readonly node: NodeId
  readonly appends: boolean
  position: number
}

interface Recorded {
  readonly live: LiveTree
  /** Open files and folders of the tree by descriptor. */
  readonly files: Map<number, OpenedFile>
}

type Effect = (recorded: Recorded, args: readonly unknown[]) => ((result: unknown) => void) | undefined

/** Effects of the functions on the tree, by their names. */
const effects: Readonly<Record<string, Effect>> = {
  open: opening,
  close: ({ files }, [fd]) => void files.delete(Number(fd)),
  write: ({ live, files }, [fd, content, ...range]) => {
    const bytes = bytesOf(content, range)
    const position = positionOf(range)
    return (result) => put({ live, files }, { fd, bytes: bytes.subarray(0, countOf(result)), position })
  },
  writeFile: (recorded, [target, content, options]) => {
    const bytes = bytesOf(content)
    if (typeof target === 'number') return () => put(recorded, { fd: target, bytes, position: null })
    return replaced(recorded, target, { bytes, appends: hasFlag(options, 'a', constants.O_APPEND) })
  },
  appendFile: (recorded, [target, content]) => {
    const bytes = bytesOf(content)
    if (typeof target === 'number') return () => put(recorded, { fd: target, bytes, position: null })
    return replaced(recorded, target, { bytes, appends: true })
  },
  copyFile: (recorded, [from, to]) => replaced(recorded, to, { bytes: readFileSync(pathOf(from)), appends: false }),
  ftruncate: ({ live, files }, [fd, sizeBytes = 0]) => {
    const node = files.get(Number(fd))?.node
    return node === undefined ? undefined : () => live.record({ kind: 'cut', node, sizeBytes: Number(sizeBytes) })
  },
  truncate: ({ live }, [path, sizeBytes = 0]) => {
    const node = live.seeTarget(pathOf(path))
    return node === null ? undefined : () => live.record({ kind: 'cut', node, sizeBytes: Number(sizeBytes) })
  },
  fchmod: ({ live, files }, [fd]) => changedMode(live, files.get(Number(fd))?.node, `/proc/self/fd/${Number(fd)}`),
  chmod: ({ live }, [path]) => changedMode(live, live.seeTarget(pathOf(path)), pathOf(path)),
  fsync: synced,
  fdatasync: synced,
  mkdir: (recorded, [path]) => seen(recorded, path),
  mkdtemp:
    ({ live }) =>
    (path) =>
      void live.see(pathOf(path)),
  symlink: (recorded, [, path]) => seen(recorded, path),
  link: ({ live }, [from, to]) => {
    const node = live.see(pathOf(from))
    return () => {
      const at = live.entryOf(pathOf(to))
      if (node !== null && at !== null) live.record({ kind: 'link', at, node })
    }
  },
  rename: ({ live }, [from, to]) => {
    const node = live.see(pathOf(from))
    const [left, taken] = [live.entryOf(pathOf(from)), live.entryOf(pathOf(to))]
    if (node === null || left === null || taken === null) return undefined
    return () => live.record({ kind: 'rename', from: left, to: taken, node })
  },
  unlink: dropped,
  rmdir: dropped,
  rm: dropped,
}

function seen({ live }: Recorded, path: unknown): () => void {
  return () => void live.see(pathOf(path))
}

function dropped({ live }: Recorded, [path]: readonly unknown[]): () => void {
  return () => live.dropMissing(pathOf(path))
}

function opening({ live, files }: Recorded, [path, flags]: readonly unknown[]): (result: unknown) => void {
  const existed = existsSync(pathOf(path))
  return (result) => {
    const node = live.seeTarget(pathOf(path))
    const fd = typeof result === 'number' ? result : descriptorOf(result)
    if (node === null || typeof fd !== 'number') return
    if (existed && hasFlag(flags, 'w', constants.O_TRUNC)) live.record({ kind: 'cut', node, sizeBytes: 0 })
    files.set(fd, { node, appends: hasFlag(flags, 'a', constants.O_APPEND), position: 0 })
  }
}

interface DiskWrite {
  readonly fd: unknown
  readonly bytes: Buffer
  /** Offset in bytes; null for the file's own position, or its end when it was opened to append. */
  readonly position: number | null
}

function put({ live, files }: Recorded, { fd, bytes, position }: DiskWrite): void {
  const file = files.get(Number(fd))
  if (file === undefined || bytes.length === 0) return
  const { node } = file
  const offset = file.appends ? live.sizeOf(node) : (position ?? file.position)
  live.record({ kind: 'write', node, offset, bytes })
  if (position === null) file.position = offset + bytes.length
}

function replaced(
  { live }: Recorded,
  target: unknown,
  { bytes, appends }: { readonly bytes: Buffer; readonly appends: boolean },
): () => void {
  const path = pathOf(target)
  const before = existsSync(path) ? live.seeTarget(path) : null
  return () => {
    // A new file is recorded with its content.
    if (before === null) return void live.seeTarget(path)
    const offset = appends ? live.sizeOf(before) : 0
    if (!appends) live.record({ kind: 'cut', node: before, sizeBytes: 0 })
    if (bytes.length > 0) live.record({ kind: 'write', node: before, offset, bytes })
  }
}

function changedMode(live: LiveTree, node: NodeId | null | undefined, path: string): (() => void) | undefined {
  if (node === null || node === undefined) return undefined
  return () => live.record({ kind: 'mode', node, mode: statSync(path).mode & 0o7777 })
}

function synced({ live, files }: Recorded, [fd]: readonly unknown[]): (() => void) | undefined {
  const node = files.get(Number(fd))?.node
  const since = live.operations.length
  return node === undefined ? undefined : () => live.record({ kind: 'sync', node, since })
}

function pathOf(path: unknown): string {
  return path instanceof URL ? fileURLToPath(path) : String(path)
}

function bytesOf(content: unknown, range: readonly unknown[] = []): Buffer {
  if (typeof content === 'string') return Buffer.from(content)
  if (!ArrayBuffer.isView(content)) throw new Error('only bytes and text are recorded')
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const [first, second] = range
  const { offset, length } = isRange(first) ? first : { offset: first, length: second }
  const from = typeof offset === 'number' ? offset : 0
  return Buffer.from(bytes.subarray(from, typeof length === 'number' ? from + length : undefined))
}

/** Returns the position of a write of bytes; null for a write of text, which goes to the file's own position. */
function positionOf([first, , third]: readonly unknown[]): number | null {
  const position = isRange(first) ? first.position : third
  return typeof position === 'number' ? position : null
}

interface BufferRange {
  readonly offset?: unknown
  readonly length?: unknown
  readonly position?: unknown
}

function isRange(value: unknown): value is BufferRange {
  return typeof value === 'object' && value !== null
}

function countOf(result: unknown): number {
  if (typeof result === 'number') return result
  return typeof result === 'object' && result !== null && 'bytesWritten' in result ? Number(result.bytesWritten) : 0
}

function hasFlag(flags: unknown, letter: string, bit: number): boolean {
  if (typeof flags === 'number') return (flags & bit) !== 0
  if (typeof flags === 'string') return flags.includes(letter)
  return typeof flags === 'object' && flags !== null && 'flag' in flags && hasFlag(flags.flag, letter, bit)
}
