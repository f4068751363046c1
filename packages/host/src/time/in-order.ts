/** Runs tasks of one key in the order they were given; different keys do not wait for each other. */
export type InOrder = {
  <Result>(key: string, task: () => Promise<Result>): Promise<Result>
  <Result>(key: string, task: () => Result | Promise<Result>): Result | Promise<Result>
}

/**
 * Creates a queue for each key. A task runs at once when none of its key is pending, so that a reply can leave in the
 * same tick; else after those before it, however they end.
 */
export function createInOrder(): InOrder {
  const tails = new Map<string, Promise<unknown>>()

  function follow<Result>(key: string, result: Promise<Result>): Promise<Result> {
    const end = () => {
      if (tails.get(key) === tail) tails.delete(key)
    }
    const tail: Promise<unknown> = result.then(end, end)
    tails.set(key, tail)
    return result
  }

  function inOrder<Result>(key: string, task: () => Promise<Result>): Promise<Result>
  function inOrder<Result>(key: string, task: () => Result | Promise<Result>): Result | Promise<Result>
  function inOrder<Result>(key: string, task: () => Result | Promise<Result>): Result | Promise<Result> {
    const before = tails.get(key)
    if (before !== undefined) return follow(key, before.then(task))
    const result = task()
    return result instanceof Promise ? follow(key, result) : result
  }
  return inOrder
}
