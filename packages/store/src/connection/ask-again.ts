/** Time without an answer after which a question is asked once more, in ms. */
const againMs = 500

/**
 * Asks something that changes nothing, once more beside itself for as long as no answer has come: what was sent to the
 * leader of a stream that died is never answered, and its successor knows nothing of it. The first answer counts, and so
 * does the first failure.
 */
export function askAgain<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const first = Promise.withResolvers<Answer>()
  const send = () => void ask().then(first.resolve, first.reject)
  send()
  const timer = setInterval(send, againMs)
  return first.promise.finally(() => clearInterval(timer))
}
