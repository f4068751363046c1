import { setTimeout as delay } from 'node:timers/promises'

export type WaitOptions = {
  readonly timeoutMs?: number
  /** What is waited for, as the failure names it: "the server's socket". */
  readonly what: string
}

export type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>

const pollEveryMs = 10

/** Polls until the condition yields a truthy value, and hands that value back. A throw inside counts as "not yet". */
export async function waitUntil<T>(condition: () => T | Promise<T>, options: WaitOptions): Promise<Truthy<T>> {
  const timeoutMs = options.timeoutMs ?? 15_000
  const deadline = performance.now() + timeoutMs
  let last: unknown
  for (;;) {
    try {
      const value = await condition()
      last = value
      if (isTruthy(value)) return value
    } catch (error) {
      last = error
    }
    if (performance.now() >= deadline) {
      throw new Error(`waited ${timeoutMs} ms for ${options.what}; last saw ${describe(last)}`, { cause: last })
    }
    await delay(pollEveryMs)
  }
}

function isTruthy<T>(value: T): value is Truthy<T> {
  return Boolean(value)
}

function describe(value: unknown): string {
  if (value instanceof Error) return `${value.name}: ${value.message}`
  return JSON.stringify(value) ?? String(value)
}
