import type { Grammar } from 'highlight.js/lib/core'

export interface Language {
  readonly grammar: Grammar
  /** Other names of the language, endings of its files among them. */
  readonly names: string
  /** Languages that parts of it are written in. */
  readonly within?: readonly string[]
}
