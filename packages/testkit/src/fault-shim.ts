export type CallCount<T> = {
  /** Behaves as the original and counts. */
  readonly port: T
  readonly calls: readonly string[]
  count(): number
}

/** Counts the calls of every function of the port, by name. Nested objects are ports of their own. */
export function countCalls<T extends object>(port: T): CallCount<T> {
  const calls: string[] = []
  const counting = beforeEachCall(port, (name) => void calls.push(name))
  return { port: counting, calls, count: () => calls.length }
}

/** A port whose call number `n` (from 1, over all its functions) throws before it does anything; the others pass. */
export function failNth<T extends object>(port: T, n: number, error: Error): T {
  let count = 0
  return beforeEachCall(port, () => {
    count += 1
    if (count === n) throw error
  })
}

function beforeEachCall<T extends object>(port: T, look: (name: string) => void): T {
  return new Proxy(port, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => {
        look(String(name))
        return Reflect.apply(member, target, args)
      }
    },
  })
}
