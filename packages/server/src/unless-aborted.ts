/** What comes first: the result, or null when the signal fires. What is not waited for may still fail, unheard. */
export async function unlessAborted<Result>(result: Promise<Result>, signal: AbortSignal): Promise<Result | null> {
  if (signal.aborted) {
    result.catch(() => undefined)
    return null
  }
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const stop = () => resolve(null)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
    result.catch(() => undefined)
  }
}
