import { isNamedBy } from './named-contents.ts'

/** Bytes of all contents together, and of the largest. */
const mostBytes = 1024 * 1024
const mostOfOne = 256 * 1024

/** Contents that were fetched last, by names that tell their content: many conversations name the same. */
export interface RecentContents {
  /** Returns null for one that is not kept. */
  get(name: string): Uint8Array | null
  /** Keeps a content in place of the least recently used ones, unless it is large or its name is wrong. */
  keep(name: string, content: Uint8Array): void
}

export function createRecentContents(): RecentContents {
  const kept = new Map<string, Uint8Array>()
  let bytes = 0

  function drop(name: string): void {
    bytes -= kept.get(name)?.length ?? 0
    kept.delete(name)
  }

  function put(name: string, content: Uint8Array): void {
    kept.set(name, content)
    bytes += content.length
  }

  return {
    get(name) {
      const content = kept.get(name)
      if (content === undefined) return null
      drop(name)
      put(name, content)
      return content
    },
    keep(name, content) {
      if (content.length > mostOfOne || !isNamedBy(name, content)) return
      drop(name)
      put(name, content)
      for (const oldest of kept.keys()) {
        if (bytes <= mostBytes) return
        drop(oldest)
      }
    },
  }
}
