/**
 * Returns the function that runs work, no more than `count` at once, in the order in which it came. Work that takes longer
 * than `mostMs` lets the next begin beside it: it waits for something. Default: no limit.
 */
export function limitConcurrency(
  count: number,
  mostMs?: number,
): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0

  function endTurn(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }

  return async (work) => {
    if (running < count) running += 1
    else await new Promise<void>((begin) => waiting.push(begin))
    let hasTurn = true
    const end = () => {
      if (hasTurn) endTurn()
      hasTurn = false
    }
    const timer = mostMs === undefined ? undefined : setTimeout(end, mostMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
      end()
    }
  }
}
