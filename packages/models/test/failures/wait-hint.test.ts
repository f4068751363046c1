import { describe, expect, it } from 'vitest'
import { readDuration, readWaitHint } from '../../src/failures/wait-hint.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')

describe('a wait hint', () => {
  it.each([
    ['seconds', { 'retry-after': '2' }, 2_000],
    ['fractions of a second', { 'retry-after': '0.5' }, 500],
    ['a duration', { 'retry-after': '1m30s' }, 90_000],
    ['a date', { 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
    [
      'a date by the server’s own clock',
      { 'retry-after': 'Thu, 01 Jan 2026 01:00:10 GMT', date: 'Thu, 01 Jan 2026 01:00:00 GMT' },
      10_000,
    ],
    ['a date gone by', { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    ['milliseconds, before anything else', { 'retry-after-ms': '120', 'retry-after': '2' }, 120],
    ['gibberish', { 'retry-after': 'soon' }, undefined],
    ['a used-up limit', { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
    [
      'the longest of the used-up limits',
      {
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '1s',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '20s',
      },
      20_000,
    ],
    [
      'a limit that is not used up',
      { 'x-ratelimit-remaining-tokens': '5', 'x-ratelimit-reset-tokens': '6m0s' },
      undefined,
    ],
    ['an epoch in seconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowMs / 1_000 + 3) }, 3_000],
    ['an epoch in milliseconds', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowMs + 3_000) }, 3_000],
    [
      'the longest of the used-up limits of Anthropic',
      {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:05Z',
        'anthropic-ratelimit-input-tokens-remaining': '0',
        'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:09Z',
        'anthropic-ratelimit-output-tokens-remaining': '800',
        'anthropic-ratelimit-output-tokens-reset': '2026-01-01T00:01:00Z',
      },
      9_000,
    ],
    ['nothing', {}, undefined],
  ])('given as %s is read', (_how, headers, expected) => {
    expect(readWaitHint({ headers, message: '', nowMs })).toBe(expected)
  })

  it.each([
    ['Rate limit reached. Please try again in 2.5s. Visit our site.', 2_500],
    ['Please try again in 20ms.', 20],
    ['Try again in 6m0s', 360_000],
    ['please retry after 20 seconds', 20_000],
    ['Please retry in 1 minute.', 60_000],
    ['Please try again in a while', undefined],
    ['You asked 20 times', undefined],
  ])('in the message "%s" is read', (message, expected) => {
    expect(readWaitHint({ headers: {}, message, nowMs })).toBe(expected)
  })
})

it.each([
  ['120ms', 120],
  ['1.5s', 1_500],
  ['1h2m3s', 3_723_000],
  ['', undefined],
  ['5', undefined],
  ['five', undefined],
])('the duration "%s" is %s ms', (text, expected) => {
  expect(readDuration(text)).toBe(expected)
})
