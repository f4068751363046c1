import { setTimeout as delay } from 'node:timers/promises'

export type WaitOptions = {
  readonly timeoutMs?: number
  /** Name of the awaited thing in the failure message, such as "the server's socket". */
  readonly what: string
}

export type Truthy<T> = Exclude<T, false | 0 | '' | null | undefined>

const pollEveryMs = 10

/** Polls until the condition returns a truthy value, and resolves to it. A throw of the condition counts as not yet; throws after `timeoutMs` (default 30 000). */
export async function waitUntil<T>(condition: () => T | Promise<T>, options: WaitOptions): Promise<Truthy<T>> {
  const timeoutMs = options.timeoutMs ?? 30_000
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
