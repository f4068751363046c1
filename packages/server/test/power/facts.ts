import type { Watched } from '@parley/engine/test/support/test-client.ts'
import type { Envelope } from '@parley/protocol'

/** Fact that a client was told, or effect outside the log, at a point of a recording. */
export type Fact =
  | { readonly fact: 'seen'; readonly conversationId: string; readonly envelope: Envelope }
  /** A command was started, or a patch changed a file: text that the call begins with or contains. */
  | { readonly fact: 'effect'; readonly text: string }
  /** A conversation was made from others, and its client got to know. */
  | { readonly fact: 'made'; readonly conversationId: string; readonly seq: number }
  | { readonly fact: 'deleting'; readonly conversationId: string }
  | { readonly fact: 'deleted'; readonly conversationId: string }
  | { readonly fact: 'rule'; readonly rule: string }
  | { readonly fact: 'login'; readonly provider: string }

export type Tell = (fact: Fact) => void

/** Tells what a client sees of a conversation, event by event. */
export function tellSeen({ conversationId, until }: Watched, tell: Tell): void {
  let told = 0
  const tellNew = (events: readonly Envelope[]) => {
    for (const envelope of events.slice(told)) tell({ fact: 'seen', conversationId, envelope })
    told = events.length
  }
  until((_, events) => {
    tellNew(events)
    return null
  }).catch(() => undefined)
}

/** Events after which everything up to them survives a loss of power. */
const kept: ReadonlySet<string> = new Set(['approval.decided', 'turn.ended'])

/** Returns the number up to which a conversation must be there; 0 when nothing of it was promised. */
export function keptUpTo(facts: readonly Fact[], conversationId: string): number {
  const seqs = facts.map((fact) => {
    if (fact.fact === 'made') return fact.conversationId === conversationId ? fact.seq : 0
    if (fact.fact !== 'seen' || fact.conversationId !== conversationId) return 0
    return kept.has(fact.envelope.event.type) ? fact.envelope.seq : 0
  })
  return Math.max(0, ...seqs)
}
