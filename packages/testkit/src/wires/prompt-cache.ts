import { createHash } from 'node:crypto'

/** Cache of a provider for the beginnings of earlier requests. */
export interface PromptCache {
  /** Records a request. Returns its size and the size of the beginning that it shares with an earlier request. */
  take(body: string): PromptCacheUse
}

interface PromptCacheUse {
  /** Size of the prompt, in bytes of JSON. */
  readonly totalBytes: number
  readonly cachedBytes: number
  /** Number of content blocks of the prompt; 0 where the provider does not count them. */
  readonly totalBlocks: number
  readonly cachedBlocks: number
}

const maxMarks = 4
const lookBackBlocks = 20

/**
 * Creates a cache by the rule of the Messages API: the prefix up to each mark is written, and each mark reads the
 * longest one at most 20 blocks before it. Throws for more than 4 marks.
 */
export function createMessagesCache(): PromptCache {
  const written = new Set<string>()
  return {
    take(body) {
      const blocks = blocksOf(JSON.parse(body))
      const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []))
      if (marks.length > maxMarks) throw new Error(`${marks.length} marks, the API takes ${maxMarks}`)
      const hits = marks.flatMap((mark) =>
        Array.from({ length: lookBackBlocks + 1 }, (_, back) => mark - back).filter((index) =>
          written.has(blocks[index]?.prefix ?? ''),
        ),
      )
      const cachedBlocks = hits.reduce((most, index) => Math.max(most, index + 1), 0)
      for (const mark of marks) written.add(blocks[mark]?.prefix ?? '')
      const bytesOf = (part: readonly PromptBlock[]) => part.reduce((sum, { bytes }) => sum + bytes, 0)
      const cachedBytes = bytesOf(blocks.slice(0, cachedBlocks))
      return { totalBytes: bytesOf(blocks), cachedBytes, totalBlocks: blocks.length, cachedBlocks }
    },
  }
}

/** Creates a cache that reads the bytes a request shares with the beginning of an earlier one. */
export function createPrefixCache(): PromptCache {
  const earlier: string[] = []
  return {
    take(body) {
      const shared = earlier.reduce((most, text) => Math.max(most, sharedLength(text, body)), 0)
      earlier.push(body)
      const cachedBytes = Buffer.byteLength(body.slice(0, shared))
      return { totalBytes: Buffer.byteLength(body), cachedBytes, totalBlocks: 0, cachedBlocks: 0 }
    },
  }
}

interface MessagesBody {
  readonly tools?: readonly Markable[]
  readonly system?: readonly Markable[]
  readonly messages: readonly { readonly role: string; readonly content: readonly Markable[] }[]
}

interface Markable {
  readonly cache_control?: object
}

interface PromptBlock {
  readonly bytes: number
  readonly isMarked: boolean
  /** Hash of all blocks up to this one. */
  readonly prefix: string
}

function blocksOf({ tools = [], system = [], messages }: MessagesBody): readonly PromptBlock[] {
  const parts = [
    ...tools.map((block) => ['tools', block] as const),
    ...system.map((block) => ['system', block] as const),
    ...messages.flatMap(({ role, content }) => content.map((block) => [role, block] as const)),
  ]
  const hash = createHash('sha256')
  return parts.map(([place, block]) => {
    const { cache_control: mark, ...content } = block
    const text = JSON.stringify(content)
    hash.update(`${place}\n${text}\n`)
    return { bytes: Buffer.byteLength(text), isMarked: mark !== undefined, prefix: hash.copy().digest('hex') }
  })
}

function sharedLength(a: string, b: string): number {
  let at = 0
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  return at
}
