/** Runs the tasks of one key one after the other; those of different keys do not wait for each other. */
export type TaskQueue = <Result>(key: string, task: () => Promise<Result>) => Promise<Result>

export function createTaskQueue(): TaskQueue {
  const tails = new Map<string, Promise<unknown>>()
  return (key, task) => {
    const before = tails.get(key) ?? Promise.resolve()
    const result = before.then(task, task)
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (tails.get(key) === tail) tails.delete(key)
      })
    tails.set(key, tail)
    return result
  }
}
