import {
  type Actor,
  type Approval,
  type CallItem,
  type ConversationEvent,
  type Item,
  isCall,
  standingOutcome,
} from '@parley/protocol'
import { changeHint } from '../calls/hook-effects.ts'
import { withHint } from '../core/view/hints.ts'
import type { LiveConversation } from '../live/live-conversation.ts'

export interface Denial {
  readonly note?: string
  /** True when a client denied because no person is there to answer. */
  readonly unattended: boolean
}

/** Returns the reason of a denial as the model reads it. */
function denialText({ note, unattended }: Denial): string {
  if (unattended) return note ?? 'nobody is there to answer.'
  return note === undefined ? 'the user denied this.' : `the user denied this and says: ${note}`
}

/** Returns the outcome of a question of the model that was not answered, as JSON. It denies nothing, so no call is denied. */
function unansweredText({ decision, note, unattended }: Denial & { readonly decision: string }): string {
  if (unattended) return JSON.stringify({ outcome: 'declined', why: note ?? 'nobody is there to answer.' })
  const said = note === undefined ? {} : { note }
  return JSON.stringify({ outcome: decision === 'abort' ? 'cancelled' : 'declined', by: 'user', ...said })
}

/** Returns the outcome of a plan that was not taken up, as JSON. */
function keepPlanningText({ decision, note, unattended }: Denial & { readonly decision: string }): string {
  if (unattended) return JSON.stringify({ outcome: 'notChosen', why: note ?? 'nobody is there to choose.' })
  if (decision === 'abort') return JSON.stringify({ outcome: 'cancelled', by: 'user' })
  const next =
    note === undefined ? 'Ask what to change, or end your turn.' : 'Change the plan by the note, and propose it again.'
  return JSON.stringify({ outcome: 'keepPlanning', ...(note === undefined ? {} : { note }), next })
}

/** Returns the end of a denied call: denied, or with the result of its first attempt when a second one is denied. */
export function deniedCall(
  { conversation }: LiveConversation,
  { id: approvalId, itemId, turnId, kind, rule, reason, facts }: Approval,
  denial: Denial & { decision: string; by: Actor },
): ConversationEvent[] {
  const about = conversation.state.core.open[itemId]
  if (about === undefined || !isCall(about.item)) return []
  const standing = standingOutcome(about)
  if (standing !== null) return [{ type: 'item.completed', turnId, item: withDeniedRetry(standing, denial) }]
  const { by, note, decision: answer } = denial
  const decision = {
    verdict: 'ask' as const,
    rule,
    reason,
    approvalId,
    answer,
    by,
    ...(note === undefined ? {} : { note }),
  }
  const known = facts === undefined ? {} : { facts }
  if (kind === 'question' || kind === 'plan') {
    const text = kind === 'plan' ? keepPlanningText(denial) : unansweredText(denial)
    const item: Item = { ...about.item, ...known, status: 'completed', decision, modelText: text }
    return [{ type: 'item.completed', turnId, item }]
  }
  const modelText = `Not run: ${denialText(denial)}`
  const denied: CallItem = { ...about.item, ...known, status: 'denied', decision, modelText }
  return [{ type: 'item.completed', turnId, item: withHint(denied, 'hookChange', changeHint(about.hooks)) }]
}

/** Returns the result of the first attempt with the denial of a second one added. */
function withDeniedRetry(item: Item, denial: Denial): Item {
  if (!isCall(item)) return item
  const { note, unattended } = denial
  const said = note === undefined ? '' : ` and says: ${note}`
  const text = unattended
    ? `Not run again with more rights: ${denialText(denial)}`
    : `The user denied running it again with more rights${said}.`
  return withHint(item, 'deniedRetry', `(${text})`)
}
