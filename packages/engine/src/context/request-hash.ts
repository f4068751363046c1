import { createHash, type Hash } from 'node:crypto'
import { foldGrowing, type ModelEntry } from '@parley/models'
import { modelInUse } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { jsonPieces } from './json-pieces.ts'

/**
 * Returns the hash of what the model is asked next, as log and side files determine it: without the output limit, which
 * is configured, and ids, which a fork changes.
 */
export function requestHash(conversation: Conversation): string {
  const { state, view, sideFiles } = conversation
  const { settings, context, turn } = state.core
  const stored = (file: string | undefined) =>
    file === undefined || sideFiles.readText(file) === null ? missing : file
  // The JSON of one object is hashed, with its keys in order: effort and entries are the first.
  const asked = {
    model: modelInUse({ settings, turn }).model,
    instructions: stored(context?.instructions),
    tools: stored(context?.tools),
    outputSchema: turn?.outputSchema ?? null,
  }
  const effort = JSON.stringify(settings.effort ?? null)
  const { hash } = digestsFor(conversation, effort)(view.request.entries(sideFiles))
  const rest = [...jsonPieces(asked)].join('').slice(1)
  return `sha256:${hash.copy().update(`],${rest}`).digest('hex')}`
}

/** Hash of a request up to its newest entry. */
interface Digests {
  readonly hash: Hash
  count: number
}

type HashEntries = (entries: readonly ModelEntry[]) => Digests

const hashed = new WeakMap<Conversation, { readonly effort: string; readonly hashEntries: HashEntries }>()

/** Returns the function that hashes the entries of a conversation, from where it was after the last request. */
function digestsFor(conversation: Conversation, effort: string): HashEntries {
  const known = hashed.get(conversation)
  if (known?.effort === effort) return known.hashEntries
  const hashEntries = foldGrowing<ModelEntry, Digests>(
    () => ({ hash: createHash('sha256').update(`{"effort":${effort},"entries":[`), count: 0 }),
    (digests, entry) => {
      digests.hash.update(`${digests.count === 0 ? '' : ','}"${digestOf(entry)}"`)
      digests.count += 1
    },
  )
  hashed.set(conversation, { effort, hashEntries })
  return hashEntries
}

/** Stands for a side file that cannot be read; the model is told so in its place. */
const missing = 'missing'

function digestOf(value: unknown): string {
  const hash = createHash('sha256')
  for (const piece of jsonPieces(value)) hash.update(piece)
  return hash.digest('hex')
}
