import { limitConcurrency } from '@parley/host'

/** Time without an answer after which a question is asked once more, in ms. */
const againMs = 500

/**
 * Questions of all that wait which are asked once more in that time, besides those whose turn comes because one of these
 * was answered: a store that is slow, not dead, gets no more for it however many wait.
 */
const mostAgain = 32

const takeTurn = limitConcurrency(mostAgain, againMs)

/**
 * Asks something that changes nothing, once more beside itself for as long as no answer has come: what was sent to the
 * leader of a stream that died is never answered, and its successor knows nothing of it. The first answer counts, and so
 * does the first failure.
 */
export function askAgain<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const first = Promise.withResolvers<Answer>()
  const over = first.promise.then(
    () => undefined,
    () => undefined,
  )
  let isSettled = false
  let hasTurnComing = false
  const send = () => ask().then(first.resolve, first.reject)
  const sendInTurn = async () => {
    hasTurnComing = false
    if (!isSettled) await Promise.race([send(), over])
  }
  void send()
  const timer = setInterval(() => {
    if (hasTurnComing) return
    hasTurnComing = true
    void takeTurn(sendInTurn)
  }, againMs)
  return first.promise.finally(() => {
    isSettled = true
    clearInterval(timer)
  })
}
