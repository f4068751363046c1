import { contentHash } from '@parley/workspace'

/** Contents of files of one machine while they are used, so that each is read and kept once. */
export interface ContentCache {
  /** Returns the content that a file had in this state; null where it is not kept. */
  find(path: string, state: string): Buffer | null
  /** Keeps a content, and returns the same one where it was kept already. */
  keep(path: string, state: string, content: Buffer): Buffer
}

/**
 * Creates the contents of all machines, by the settings that reach a machine. A content goes with its last reader. A
 * change that leaves a file in its state is seen with the next change that does not.
 */
export function createContentCaches(): (machine: string) => ContentCache {
  const files = new Map<string, { readonly state: string; readonly content: WeakRef<Buffer> }>()
  const contents = new Map<string, WeakRef<Buffer>>()
  const forgotten = new FinalizationRegistry<() => void>((forget) => forget())
  return (machine) => {
    const keyOf = (path: string) => `${machine}\0${path}`
    return {
      find(path, state) {
        const known = files.get(keyOf(path))
        return known?.state === state ? (known.content.deref() ?? null) : null
      },
      keep(path, state, read) {
        const key = keyOf(path)
        const hash = hashOfContent(read)
        const content = contents.get(hash)?.deref() ?? read
        const ref = new WeakRef(content)
        const file = { state, content: ref }
        files.set(key, file)
        contents.set(hash, ref)
        forgotten.register(content, () => {
          if (files.get(key) === file) files.delete(key)
          if (contents.get(hash) === ref) contents.delete(hash)
        })
        return content
      },
    }
  }
}

const hashes = new WeakMap<Buffer, string>()

/** Hashes a content that nobody changes, each once. */
export function hashOfContent(content: Buffer): string {
  const hash = hashes.get(content) ?? contentHash(content)
  hashes.set(content, hash)
  return hash
}
