import type { ApprovalAnswer, ApprovalHandler, Conversation } from '@parley/client'
import type { Approval } from '@parley/protocol'

/** Tells the model what to do without an answer. */
const unanswered = 'nobody is there to answer in this scripted run; decide by yourself and say what you assumed'

/** Tells the model that its plan is the answer of the run, and that no mode is chosen to carry it out. */
const unchosen = 'nobody is there to choose in this scripted run, and the plan is its answer: end your turn'

/** Denies an approval that nobody can answer. */
function denied({ kind, reason }: Approval): ApprovalAnswer {
  if (kind === 'question') return { decision: 'denied', note: unanswered, unattended: true }
  if (kind === 'plan') return { decision: 'denied', note: unchosen, unattended: true }
  const note = `nobody is there to answer in this scripted run, and no rule allows it: ${reason}`
  return { decision: 'denied', note, unattended: true }
}

/** Interval of looking at the clients of a conversation: they come and go without an event. */
const lookMs = 1000

/**
 * Returns the handler for a run without answers of its own. In its own process the run denies at once; in a
 * conversation that it joined, when no other client is left.
 */
export function withoutAnswers(conversation: Pick<Conversation, 'attached' | 'countClients'>): ApprovalHandler {
  if (!conversation.attached) return denied
  return async (approval, { signal }) => {
    const isUnattended = async () => approval.answerableBy.length === 0 || (await conversation.countClients()) <= 1
    for (;;) {
      if (signal.aborted) return null
      // The turn of this run would wait for ever behind a question that nobody answers.
      if (await isUnattended()) return denied(approval)
      await pause(signal)
    }
  }
}

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lookMs)
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
  })
}

/** Returns the handler for a run with a caller that answers: it waits for the answer until `over` has settled, then asks `otherwise`. */
export function withAnswers(over: Promise<void>, otherwise: ApprovalHandler): ApprovalHandler {
  return async (approval, context) => {
    const settled = new Promise<'settled'>((resolve) => {
      if (context.signal.aborted) resolve('settled')
      else context.signal.addEventListener('abort', () => resolve('settled'), { once: true })
    })
    if ((await Promise.race([over, settled])) === 'settled') return null
    return otherwise(approval, context)
  }
}
