export interface ChunkLine {
  readonly kind: 'keep' | 'remove' | 'insert'
  readonly text: string
}

/** One place of change in an updated file. */
export interface Chunk {
  /** Texts behind `@@`, outermost first: the chunk lies below the last of them. */
  readonly contexts: readonly string[]
  readonly lines: readonly ChunkLine[]
  /** `*** End of File` stood behind it. */
  readonly atEnd: boolean
  /** Where it begins in the patch; the Begin marker is line 1. */
  readonly line: number
}

/** What a patch says of one file. Paths are as written. */
export type Hunk =
  | { readonly kind: 'add'; readonly path: string; readonly line: number; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string; readonly line: number }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly line: number
      readonly movedTo?: string
      /** May be empty only when the file is moved. */
      readonly chunks: readonly Chunk[]
    }
