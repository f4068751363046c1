import { join } from 'node:path'
import { readIfExists } from '@parley/host'
import { type Files, makeFolders, replaceFile, STORE_OLDER, StorageError } from '@parley/journal'
import type { SharedTrust } from '@parley/policy'
import type { Redaction } from '@parley/redaction'
import type { SharedStore } from '../ports/shared-store.ts'

interface Sharing {
  readonly store?: Pick<SharedStore, 'answers' | 'name'> | undefined
  readonly redaction: Pick<Redaction, 'seal'>
  readonly home: string
  readonly files: Files
}

/** Decision as it lies in a store; each about a project has the next number. */
interface NumberedDecision {
  readonly number: number
  readonly text: string
}

/**
 * Returns the decisions about projects of environments that the servers of a store share; null without a store. Each
 * decision is sealed with its name and number: a decision that was copied to another name or written by another program
 * is ignored. A decision older than the newest that this home has seen was put back, and rejects.
 */
export function sharedTrust({ store, redaction, home, files }: Sharing): SharedTrust | null {
  if (store === undefined) return null
  const seen = seenDecisions(home, files)
  const keyOf = (name: string) => redaction.seal(JSON.stringify(['trust seen', name]))
  const sealOf = (name: string, { number, text }: NumberedDecision) =>
    redaction.seal(JSON.stringify(['trust', name, number, text]))
  const opened = (name: string, kept: string | null): NumberedDecision | null => {
    const [, seal, digits, text = ''] = /^([^\n]+)\n(\d+)\n(.*)$/s.exec(kept ?? '') ?? []
    const decision = { number: Number(digits), text }
    return seal !== undefined && seal === sealOf(name, decision) ? decision : null
  }
  return {
    async read(name) {
      const decision = opened(name, await store.answers.read(`trust ${name}`))
      if ((decision?.number ?? 0) < seen.newest(keyOf(name)))
        throw new StorageError({ code: STORE_OLDER, operation: 'read the newest decision of', path: store.name })
      if (decision !== null) seen.note(keyOf(name), decision.number)
      return decision?.text ?? null
    },
    async write(name, text, how) {
      let number = 0
      await store.answers.change(`trust ${name}`, (kept) => {
        const before = opened(name, kept)
        if (how === 'first' && before !== null) return null
        number = Math.max(before?.number ?? 0, seen.newest(keyOf(name))) + 1
        return `${sealOf(name, { number, text })}\n${number}\n${text}`
      })
      seen.note(keyOf(name), number)
    },
  }
}

/**
 * Keeps the numbers of the newest decisions that this home has seen in a store: a file for each, named by a seal of its
 * name, which tells stores apart.
 */
function seenDecisions(home: string, files: Files) {
  const folder = join(home, 'trust', 'seen')
  const pathOf = (seal: string) => join(folder, seal.replaceAll(/[^\w-]/g, '_'))
  const newest = (seal: string) => Number(readIfExists(pathOf(seal)) ?? 0)
  return {
    /** Returns the number of the newest decision; 0 without one. */
    newest,
    note(seal: string, number: number) {
      if (number <= newest(seal)) return
      makeFolders(files, folder)
      replaceFile(files, pathOf(seal), `${number}\n`)
    },
  }
}
