import type { Chunk } from './parse-chunks.ts'

/** Section of a patch for one file. Paths are as written. */
export type Hunk =
  | { readonly kind: 'add'; readonly path: string; readonly line: number; readonly lines: readonly string[] }
  | { readonly kind: 'delete'; readonly path: string; readonly line: number }
  | {
      readonly kind: 'update'
      readonly path: string
      readonly line: number
      readonly movedTo?: string
      /** Empty only when the file is moved. */
      readonly chunks: readonly Chunk[]
    }
