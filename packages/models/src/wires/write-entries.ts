import { foldGrowingLists } from '../port/growing-list.ts'
import type { ModelEntry } from '../port/model-client.ts'
import type { RequestBody } from '../port/wire.ts'

/** Form of a wire's entries: elements of a JSON array, separated by commas. The state goes on from entry to entry. */
interface EntryForm<State> {
  /** Returns the state before the first entry. */
  readonly begin: () => State
  /** Adds the next entry to the state; returns the elements that no later entry changes, which may be an empty text. */
  readonly settle: (state: State, entry: ModelEntry) => string
  /** Returns the elements behind them in a request that ends here. Leaves the state as it is. */
  readonly rest: (state: State) => string
}

/** Creates a writer of entries as elements of a JSON array, in pieces. Settled ones are serialised and encoded once. */
export function createEntryWriter<State>({
  begin,
  settle,
  rest,
}: EntryForm<State>): (entries: readonly ModelEntry[]) => RequestBody {
  const written = foldGrowingLists<ModelEntry, { readonly state: State; readonly settled: GrowingElements }>(
    () => ({ state: begin(), settled: createGrowingElements() }),
    ({ state, settled }, entry) => settled.add(settle(state, entry)),
  )
  return (entries) => {
    const { state, settled } = written(entries)
    return settled.with(rest(state))
  }
}

/** Returns the body of a request that ends with an array. `head` is all before its bracket. */
export function bodyOf(head: string, elements: RequestBody): RequestBody {
  return [Buffer.from(`${head}[`), ...elements, Buffer.from(']}')]
}

/** Text before the images of results, where they stand apart from the results. */
export const imagesFollow = 'The images of the results above, in their order:'

/**
 * Takes the images before an entry: after the last of consecutive results, the images of all. They stay out of each
 * result, because a compaction may clear another one of the round.
 */
export function takeImagesBefore<Image>(entry: ModelEntry, open: Image[]): readonly Image[] {
  return entry.kind === 'result' ? [] : open.splice(0)
}

/** Elements of an array, in UTF-8, that grow at their end. */
interface GrowingElements {
  add(elements: string): void
  /** Returns all, followed by elements that are not kept. */
  with(more: string): RequestBody
}

/** Each piece is at least twice as long as the next one: there are few then, and no byte is copied often. */
function createGrowingElements(): GrowingElements {
  const pieces: Buffer[] = []
  let fresh = ''
  let isEmpty = true
  const behind = (elements: string) => (isEmpty || elements === '' ? elements : `,${elements}`)
  function join(): void {
    const [before, last] = pieces.slice(-2)
    if (before === undefined || last === undefined || before.length >= 2 * last.length) return
    pieces.splice(
      -2,
      2,
      ownBytes(before.length + last.length, (bytes) => last.copy(bytes, before.copy(bytes))),
    )
    join()
  }
  return {
    add(elements) {
      fresh += behind(elements)
      isEmpty &&= elements === ''
    },
    with(more) {
      const text = fresh
      if (text !== '') pieces.push(ownBytes(Buffer.byteLength(text), (bytes) => bytes.write(text)))
      fresh = ''
      join()
      return more === '' ? [...pieces] : [...pieces, Buffer.from(behind(more))]
    },
  }
}

/** Returns bytes with memory of their own: a slice of Node's pool would keep all its 64 KiB alive. */
function ownBytes(sizeBytes: number, fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  fill(bytes)
  return bytes
}
