import { createHash } from 'node:crypto'
import type { ModelEntry } from '@parley/models'
import { modelInUse } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'
import { inOrder, jsonPieces } from './json-pieces.ts'

/** Digests of entries, which never change: only new ones are hashed for a request. */
const digests = new WeakMap<ModelEntry, string>()

/**
 * Returns the hash of what the model is asked next. It covers what the log and its side files determine, before a wire
 * gives it a form: no output limit, which comes from the configuration, and no id, which a fork changes.
 */
export function requestHash({ state, view, sideFiles }: Conversation): string {
  const { settings, context, turn } = state.core
  const stored = (file: string | undefined) =>
    file === undefined || sideFiles.readText(file) === null ? missing : file
  const asked = {
    model: modelInUse({ settings, turn }).model,
    effort: settings.effort ?? null,
    instructions: stored(context?.instructions),
    tools: stored(context?.tools),
    outputSchema: turn?.outputSchema ?? null,
    entries: view.entries(sideFiles).map(knownDigest),
  }
  return `sha256:${createHash('sha256').update(JSON.stringify(asked, withOrder)).digest('hex')}`
}

/** Stands for a side file that cannot be read; the model is told so in its place. */
const missing = 'missing'

function knownDigest(entry: ModelEntry): string {
  const known = digests.get(entry) ?? digestOf(entry)
  digests.set(entry, known)
  return known
}

function withOrder(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? inOrder(value) : value
}

function digestOf(value: unknown): string {
  const hash = createHash('sha256')
  for (const piece of jsonPieces(value)) hash.update(piece)
  return hash.digest('hex')
}
