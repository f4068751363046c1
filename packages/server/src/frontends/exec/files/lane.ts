/** Runs a few tasks at a time; the others wait in their order. */
export type Lane = <Result>(task: () => Promise<Result>) => Promise<Result>

export function createLane(width: number): Lane {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running >= width) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
