import type { DiskOperation, DiskRecording, NodeId, NodeName, OperationOf, Tree, TreeNode } from './disk-operation.ts'

/** Bytes that a disk writes together. */
const sectorBytes = 512

/**
 * Chooses the parts of unsynced operations that survive a loss of power: of a write each sector by its number, and the
 * growth of the file; of any other operation all or nothing (`part` is null for both).
 */
export type Survives = (index: number, operation: DiskOperation, part: number | null) => boolean

/** Returns the tree that a loss of power after the first `length` operations leaves. */
export function treeAfter({ before, operations }: DiskRecording, length: number, survives: Survives): Tree {
  const done = operations.slice(0, length)
  const safe = syncedOperations(done)
  const tree = copyOf(before)
  // A file may have lost its first name and have another one by now.
  for (const operation of done) if (operation.kind === 'make') tree.set(operation.node, newNode(operation))
  for (const [index, operation] of done.entries())
    applyParts(tree, operation, (part) => safe.has(index) || survives(index, operation, part))
  return tree
}

export function applyWhole(tree: Map<NodeId, TreeNode>, operation: DiskOperation): void {
  if (operation.kind === 'make') tree.set(operation.node, newNode(operation))
  applyParts(tree, operation, () => true)
}

/** Returns the numbers of the operations that a sync has put on the disk. */
function syncedOperations(operations: readonly DiskOperation[]): ReadonlySet<number> {
  const since = new Map<NodeId, number>()
  for (const operation of operations)
    if (operation.kind === 'sync') since.set(operation.node, Math.max(operation.since, since.get(operation.node) ?? 0))
  const isSynced = (operation: DiskOperation, index: number) =>
    syncedWith(operation).some((node) => index < (since.get(node) ?? 0))
  return new Set(operations.flatMap((operation, index) => (isSynced(operation, index) ? [index] : [])))
}

/** Returns the nodes that put an operation on the disk when one of them is synced: the folder of a name, both of a move. */
function syncedWith(operation: DiskOperation): readonly NodeId[] {
  switch (operation.kind) {
    case 'make':
    case 'link':
    case 'remove':
      return [operation.at.folder]
    case 'rename':
      return [operation.from.folder, operation.to.folder]
    case 'write':
    case 'cut':
    case 'mode':
      return [operation.node]
    case 'sync':
    case 'note':
      return []
  }
}

type Keeps = (part: number | null) => boolean

function applyParts(tree: Map<NodeId, TreeNode>, operation: DiskOperation, keeps: Keeps): void {
  if (operation.kind === 'write') writeParts(tree, operation, keeps)
  else if (keeps(null)) apply(tree, operation)
}

function apply(tree: Map<NodeId, TreeNode>, operation: Exclude<DiskOperation, { kind: 'write' }>): void {
  switch (operation.kind) {
    case 'make':
    case 'link':
      setName(tree, operation.at, operation.node)
      break
    case 'rename':
      dropName(tree, operation.from, operation.node)
      setName(tree, operation.to, operation.node)
      break
    case 'remove':
      dropName(tree, operation.at, operation.node)
      break
    case 'cut':
      changeFile(tree, operation.node, ({ bytes }) => ({ bytes: resized(bytes, operation.sizeBytes) }))
      break
    case 'mode':
      setMode(tree, operation)
      break
    case 'sync':
    case 'note':
  }
}

/** Writes the sectors that are kept. A gap before one of them reads as zeros. */
function writeParts(tree: Map<NodeId, TreeNode>, { node, offset, bytes }: OperationOf<'write'>, keeps: Keeps): void {
  const end = offset + bytes.length
  changeFile(tree, node, (file) => {
    let content = keeps(null) ? resized(file.bytes, Math.max(file.bytes.length, end)) : Buffer.from(file.bytes)
    for (let from = offset, part = 0; from < end; part++) {
      const to = Math.min(end, (Math.floor(from / sectorBytes) + 1) * sectorBytes)
      if (keeps(part)) {
        content = resized(content, Math.max(content.length, to))
        bytes.copy(content, from, from - offset, to - offset)
      }
      from = to
    }
    return { bytes: content }
  })
}

function resized(bytes: Buffer, sizeBytes: number): Buffer {
  const next = Buffer.alloc(sizeBytes)
  bytes.copy(next)
  return next
}

function setName(tree: Map<NodeId, TreeNode>, { folder, name }: NodeName, node: NodeId): void {
  const found = tree.get(folder)
  if (found?.form === 'folder') found.entries.set(name, node)
}

/** Removes a name unless another node has it by now. */
function dropName(tree: Map<NodeId, TreeNode>, { folder, name }: NodeName, node: NodeId): void {
  const found = tree.get(folder)
  if (found?.form === 'folder' && found.entries.get(name) === node) found.entries.delete(name)
}

type FileNode = Extract<TreeNode, { form: 'file' }>

function changeFile(tree: Map<NodeId, TreeNode>, node: NodeId, change: (file: FileNode) => Partial<FileNode>): void {
  const found = tree.get(node)
  if (found?.form === 'file') tree.set(node, { ...found, ...change(found) })
}

function setMode(tree: Map<NodeId, TreeNode>, { node, mode }: OperationOf<'mode'>): void {
  const found = tree.get(node)
  if (found !== undefined && found.form !== 'link') tree.set(node, { ...found, mode })
}

function newNode({ what }: OperationOf<'make'>): TreeNode {
  if (what.form === 'file') return { ...what, bytes: Buffer.alloc(0) }
  return what.form === 'folder' ? { ...what, entries: new Map() } : what
}

function copyOf(tree: Tree): Map<NodeId, TreeNode> {
  const copies = [...tree].map(
    ([id, node]) => [id, node.form === 'folder' ? { ...node, entries: new Map(node.entries) } : node] as const,
  )
  return new Map(copies)
}
