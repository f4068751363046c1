import type { ContentStore } from '@parley/workspace'

/** Contents that are fetched at once. */
const lanes = 8

/** Fetches contents that are not kept here, as far as they are to be had. */
export async function bringContents(
  hashes: ReadonlySet<string>,
  store: ContentStore,
  fetch: (hash: string) => Promise<Uint8Array | null>,
): Promise<void> {
  const left = hashes.values()
  const lane = async () => {
    for (const hash of left) {
      const content = store.read(hash) === null ? await fetch(hash) : null
      if (content !== null) store.keep(hash, content)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
