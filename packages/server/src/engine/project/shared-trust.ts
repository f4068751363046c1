import type { SharedTrust } from '@parley/policy'
import type { Redaction } from '@parley/redaction'
import type { SharedStore } from '@parley/store'

interface Sharing {
  readonly store?: Pick<SharedStore, 'answers'>
  readonly redaction: Pick<Redaction, 'seal'>
}

/**
 * Returns the decisions about projects of environments that the servers of a store have in common; null without one. Each
 * is sealed with its name: one that is copied to another name, or that none of them wrote, is none.
 */
export function sharedTrust({ store, redaction }: Sharing): SharedTrust | null {
  if (store === undefined) return null
  const sealOf = (name: string, text: string) => redaction.seal(JSON.stringify(['trust', name, text]))
  return {
    async read(name) {
      const kept = (await store.answers.read(`trust ${name}`)) ?? ''
      const end = kept.indexOf('\n')
      const text = kept.slice(end + 1)
      return end > 0 && kept.slice(0, end) === sealOf(name, text) ? text : null
    },
    write: (name, text, how) => store.answers.write(`trust ${name}`, `${sealOf(name, text)}\n${text}`, how),
  }
}
