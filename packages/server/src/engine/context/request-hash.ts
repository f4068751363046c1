import { createHash } from 'node:crypto'
import type { ModelEntry } from '@parley/models'
import { modelInUse } from '@parley/protocol'
import type { Conversation } from '../conversation/conversation.ts'

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
    entries: view.entries(sideFiles).map(digestOf),
  }
  return `sha256:${sha256(JSON.stringify(asked, inOrder))}`
}

/** Stands for a side file that cannot be read; the model is told so in its place. */
const missing = 'missing'

function digestOf(entry: ModelEntry): string {
  const known = digests.get(entry)
  if (known !== undefined) return known
  const digest = sha256(JSON.stringify(entry, inOrder))
  digests.set(entry, digest)
  return digest
}

/** Orders the keys of objects, so that the hash does not depend on how code spells them. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
