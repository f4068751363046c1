import type { ModelEntry } from '@parley/models'
import { expect } from 'vitest'

/** Asserts what every provider requires: each call has exactly one result, after its response, in call order. */
export function expectValid(entries: readonly ModelEntry[]): void {
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index]
    expect(entry?.kind, 'a result without its call').not.toBe('result')
    if (entry?.kind !== 'response') continue
    const results = entries.slice(index + 1, index + 1 + entry.calls.length)
    expect(results.map((result) => (result.kind === 'result' ? result.callId : result.kind))).toEqual(
      entry.calls.map(({ callId }) => callId),
    )
    index += entry.calls.length
  }
}
