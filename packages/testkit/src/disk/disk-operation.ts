/** Number of a file, folder or link of a recorded tree; it may have several names. */
export type NodeId = number

export const rootNode: NodeId = 0

export interface NodeName {
  readonly folder: NodeId
  readonly name: string
}

type NodeForm =
  | { readonly form: 'file'; readonly mode: number }
  | { readonly form: 'folder'; readonly mode: number }
  | { readonly form: 'link'; readonly target: string }

/** Change of a tree as a disk gets it, or a note of a test between two of them. */
export type DiskOperation =
  | { readonly kind: 'make'; readonly at: NodeName; readonly node: NodeId; readonly what: NodeForm }
  | { readonly kind: 'link'; readonly at: NodeName; readonly node: NodeId }
  | { readonly kind: 'rename'; readonly from: NodeName; readonly to: NodeName; readonly node: NodeId }
  | { readonly kind: 'remove'; readonly at: NodeName; readonly node: NodeId }
  | { readonly kind: 'write'; readonly node: NodeId; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'cut'; readonly node: NodeId; readonly sizeBytes: number }
  | { readonly kind: 'mode'; readonly node: NodeId; readonly mode: number }
  /** End of a sync that began before operation `since`: earlier changes of the node are on the disk. */
  | { readonly kind: 'sync'; readonly node: NodeId; readonly since: number }
  | { readonly kind: 'note'; readonly note: unknown }

export type OperationOf<Kind extends DiskOperation['kind']> = Extract<DiskOperation, { kind: Kind }>

export type TreeNode =
  | { readonly form: 'file'; readonly mode: number; readonly bytes: Buffer }
  | { readonly form: 'folder'; readonly mode: number; readonly entries: Map<string, NodeId> }
  | { readonly form: 'link'; readonly target: string }

/** Files, folders and links by number; a node without a name is in no folder. */
export type Tree = ReadonlyMap<NodeId, TreeNode>

/** Tree before a recording, and the operations on it since. */
export interface DiskRecording {
  readonly root: string
  readonly before: Tree
  readonly operations: readonly DiskOperation[]
}
