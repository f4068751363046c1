/** Runs the changes that one client asks of a conversation in the order in which they came. */
export type InOrder = <Result>(key: string, change: () => Result | Promise<Result>) => Result | Promise<Result>

/**
 * At once where nothing of that key is under way, so that an answer can be given in the tick it is asked for. Behind a
 * change that waits (for an image to be read, a file to be written) each later one waits for its turn.
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

  return (key, change) => {
    const before = tails.get(key)
    if (before !== undefined) return follow(key, before.then(change))
    const result = change()
    return result instanceof Promise ? follow(key, result) : result
  }
}
