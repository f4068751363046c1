import { lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { type DiskOperation, type NodeId, type NodeName, rootNode, type TreeNode } from './disk-operation.ts'
import { applyWhole } from './lose-power.ts'
import { readTree } from './tree-files.ts'

/** Tree that follows the calls of a process, with the operations so far. */
export interface LiveTree {
  readonly operations: DiskOperation[]
  /** Returns the node at a path, after adding what the disk has there by now. Null outside the tree or where nothing lies. */
  see(path: string): NodeId | null
  /** Follows a link in the last place, too. */
  seeTarget(path: string): NodeId | null
  /** Returns the folder and name that a path leads to; null outside the tree. */
  entryOf(path: string): NodeName | null
  sizeOf(node: NodeId): number
  /** Records the removal of a path, and of everything below it, that has gone from the disk. */
  dropMissing(path: string): void
  record(operation: DiskOperation): void
}

export function openLiveTree(root: string): LiveTree {
  const tree = readTree(root)
  const operations: DiskOperation[] = []

  function record(operation: DiskOperation): void {
    operations.push(operation)
    applyWhole(tree, operation)
  }

  /** Returns the path from the root to where a path leads, its last name not followed; null outside the tree. */
  function namesOf(path: string): readonly string[] | null {
    const real = realOrNull(dirname(path))
    if (real === null) return null
    const from = relative(root, join(real, basename(path)))
    return from === '' ? [] : from.startsWith('..') ? null : from.split(sep)
  }

  function childOf(folder: NodeId, name: string): NodeId | undefined {
    const node = tree.get(folder)
    return node?.form === 'folder' ? node.entries.get(name) : undefined
  }

  function see(path: string): NodeId | null {
    let node = rootNode
    let place = root
    for (const name of namesOf(path) ?? [null]) {
      if (name === null) return null
      place = join(place, name)
      const next = childOf(node, name) ?? make(place, { folder: node, name })
      if (next === null) return null
      node = next
    }
    return node
  }

  /** Adds a file, folder or link of the disk; the content of a folder is added when it is used. */
  function make(path: string, at: NodeName): NodeId | null {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return null
    const node = tree.size
    const mode = stats.mode & 0o7777
    if (stats.isSymbolicLink()) record({ kind: 'make', at, node, what: { form: 'link', target: readlinkSync(path) } })
    else if (stats.isDirectory()) record({ kind: 'make', at, node, what: { form: 'folder', mode } })
    else if (stats.isFile()) {
      record({ kind: 'make', at, node, what: { form: 'file', mode } })
      if (stats.size > 0) record({ kind: 'write', node, offset: 0, bytes: readFileSync(path) })
    } else return null
    return node
  }

  function entryOf(path: string): NodeName | null {
    const names = namesOf(path)
    const name = names?.at(-1)
    const folder = name === undefined ? null : see(dirname(path))
    return folder === null || name === undefined ? null : { folder, name }
  }

  function dropMissing(path: string): void {
    const at = entryOf(path)
    const node = at === null ? undefined : childOf(at.folder, at.name)
    if (at === null || node === undefined || lstatSync(path, { throwIfNoEntry: false }) !== undefined) return
    dropBelow(at, node)
  }

  function dropBelow(at: NodeName, node: NodeId): void {
    const what = tree.get(node)
    if (what?.form === 'folder') for (const [name, entry] of what.entries) dropBelow({ folder: node, name }, entry)
    record({ kind: 'remove', at, node })
  }

  return {
    operations,
    see,
    seeTarget(path) {
      const node = see(path)
      const isLink = node !== null && tree.get(node)?.form === 'link'
      const real = isLink || node === null ? realOrNull(path) : null
      return real === null ? node : see(real)
    },
    entryOf,
    sizeOf: (node) => bytesOf(tree.get(node)),
    dropMissing,
    record,
  }
}

function bytesOf(node: TreeNode | undefined): number {
  return node?.form === 'file' ? node.bytes.length : 0
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
