import type { ChangedPath } from '@parley/protocol'
import { type ContentStore, contentNow, type Environment } from '@parley/workspace'
import type { OutcomeDifference } from './same-outcome.ts'
import type { ScratchCopy } from './scratch-copy.ts'

interface FileParts {
  readonly copy: Pick<ScratchCopy, 'placeOf'>
  readonly store: Pick<ContentStore, 'read'>
  readonly environment: Pick<Environment, 'patches'>
  /** Returns a text without what is never the same twice. */
  readonly lasting: (text: string) => string
  /** Returns a text with marks for its secrets. */
  readonly marked: (text: string) => string
}

/** Compares the files that a call changed then with those of the copy; contents of which no hash is known are left out. */
export async function compareFiles(
  changes: readonly ChangedPath[],
  { copy, store, environment, lasting, marked }: FileParts,
): Promise<OutcomeDifference | null> {
  for (const { path, after } of changes) {
    const place = copy.placeOf(path)
    if (place === null || (after !== null && after.hash === undefined)) continue
    const found = await contentNow(place, environment.patches)
    if (after?.hash === found?.content.hash && (after === null) === (found === null)) continue
    const logged = after?.hash === undefined ? nothing : shownContent(after.hash, store.read(after.hash))
    const replayed = found === null ? nothing : shownContent(found.content.hash, found.bytes)
    if (lasting(logged) !== lasting(replayed))
      return { path: `the file ${path}`, logged: marked(logged), replayed: marked(replayed) }
  }
  return null
}

const nothing = 'there is none'

/** Returns a content as text, or its hash where it is no UTF-8 or not kept. */
function shownContent(hash: string | undefined, bytes: Uint8Array | null): string {
  const text = bytes === null ? null : Buffer.from(bytes).toString()
  const isText = bytes !== null && text !== null && Buffer.from(text).equals(bytes)
  return isText ? text : `content ${hash}`
}
