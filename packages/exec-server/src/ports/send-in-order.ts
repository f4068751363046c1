import type { ClientLink } from '../wire/client-link.ts'
import type { WaitLimit } from '../wire/waiters.ts'

/** Waits for a turn to send an answer. Resolves to false when the time limit passes first. */
export type SendTurns = (limit: WaitLimit) => Promise<boolean>

/**
 * Creates turns, one after the other, each once the client has taken the earlier answer: all answers at once would be
 * 16 MiB, ahead of the output of processes.
 */
export function sendInOrder({ drained }: Pick<ClientLink, 'drained'>): SendTurns {
  let last = Promise.resolve()
  return async ({ waitMs, signal }) => {
    let isOver = false
    const turn = last.then(async () => {
      if (isOver) return
      await drained()
      // The answer before this one is sent in between.
      await new Promise<void>((resolve) => setImmediate(resolve))
    })
    last = turn
    const over = Promise.withResolvers<false>()
    const end = () => over.resolve(false)
    const timer = setTimeout(end, waitMs)
    signal.addEventListener('abort', end, { once: true })
    const isMine = await Promise.race([turn.then(() => true), over.promise])
    isOver = true
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    return isMine
  }
}
