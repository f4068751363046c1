import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type NodeId, rootNode, type Tree, type TreeNode } from './disk-operation.ts'

const modeBits = 0o7777

/** Reads a folder as a tree. Sockets and the like are left out. */
export function readTree(root: string): Map<NodeId, TreeNode> {
  const tree = new Map<NodeId, TreeNode>()
  addNode(root, tree, new Map())
  return tree
}

/** Adds the file, folder or link at a path to a tree and returns its number; `known` has the numbers by inode. */
function addNode(path: string, tree: Map<NodeId, TreeNode>, known: Map<number, NodeId>): NodeId | null {
  const stats = lstatSync(path)
  const earlier = known.get(stats.ino)
  if (earlier !== undefined) return earlier
  const id = tree.size
  const mode = stats.mode & modeBits
  known.set(stats.ino, id)
  if (stats.isFile()) tree.set(id, { form: 'file', mode, bytes: readFileSync(path) })
  else if (stats.isSymbolicLink()) tree.set(id, { form: 'link', target: readlinkSync(path) })
  else if (stats.isDirectory()) {
    const entries = new Map<string, NodeId>()
    tree.set(id, { form: 'folder', mode, entries })
    for (const name of readdirSync(path)) {
      const node = addNode(join(path, name), tree, known)
      if (node !== null) entries.set(name, node)
    }
  } else return null
  return id
}

/** Replaces the content of a folder by a tree. */
export function writeTree(root: string, tree: Tree): void {
  for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true })
  writeEntries(root, { tree, node: rootNode, places: new Map() })
}

interface Writing {
  readonly tree: Tree
  readonly node: NodeId
  /** Paths of the files written so far, for their further names. */
  readonly places: Map<NodeId, string>
}

function writeEntries(folder: string, { tree, node, places }: Writing): void {
  const found = tree.get(node)
  if (found?.form !== 'folder') return
  for (const [name, entry] of found.entries) {
    const path = join(folder, name)
    const what = tree.get(entry)
    const other = places.get(entry)
    if (what === undefined) throw new Error(`${path} is no node of the tree`)
    if (other !== undefined) linkSync(other, path)
    else if (what.form === 'link') symlinkSync(what.target, path)
    else if (what.form === 'file') {
      writeFileSync(path, what.bytes, { mode: what.mode })
      places.set(entry, path)
    } else {
      mkdirSync(path, { mode: what.mode })
      writeEntries(path, { tree, node: entry, places })
    }
  }
}

/** Returns the content of a tree by path, for comparisons: files as text, folders and links as such. */
export function describeTree(tree: Tree): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (node: NodeId, path: string) => {
    const what = tree.get(node)
    if (what?.form === 'file') found.set(path, what.bytes.toString('latin1'))
    if (what?.form === 'link') found.set(path, `-> ${what.target}`)
    if (what?.form !== 'folder') return
    found.set(`${path}/`, '')
    for (const [name, entry] of what.entries) visit(entry, `${path}/${name}`)
  }
  visit(rootNode, '')
  return found
}
