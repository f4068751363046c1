import { describe, expect, test } from 'vitest'
import { enterTypedBefore, gatherBurst, noBurst } from '../../../src/ui/keys/burst.ts'
import { decode, idleDecoder } from '../../../src/ui/keys/decoder.ts'

/** Reads as they come, each with its time; gives what each became, briefly. */
function gathered(reads: readonly (readonly [number, string])[]): string[] {
  let burst = noBurst
  return reads.flatMap(([atMs, input]) => {
    const result = gatherBurst(burst, decode(idleDecoder, input).events, atMs)
    burst = result.burst
    return result.events.map((event) =>
      event.kind === 'key' ? event.name : 'text' in event ? `${event.kind}:${event.text}` : event.kind,
    )
  })
}

describe('gatherBurst', () => {
  test('typed text and its Enter stay apart', () => {
    expect(
      gathered([
        [0, 'l'],
        [90, 's'],
        [200, '\r'],
      ]),
    ).toEqual(['text:l', 'text:s', 'enter'])
  })

  test('lines in one read are a paste', () => {
    expect(gathered([[0, 'first line\r\nsecond\tx\r']])).toEqual(['paste:first line\nsecond\tx\n'])
  })

  test('letters that arrive one by one, too fast to be typed, make their Enter a line end', () => {
    const reads = [...'function\rx'].map((letter, index) => [index, letter] as const)
    expect(gathered(reads).slice(-2)).toEqual(['paste:\n', 'text:x'])
  })

  test('a paste that goes on in a later read is still one', () => {
    expect(
      gathered([
        [0, 'long enough\rto'],
        [4, 'x\r'],
      ]),
    ).toEqual(['paste:long enough\nto', 'paste:x\n'])
  })

  test('an Enter after a pause sends', () => {
    expect(
      gathered([
        [0, 'long enough\rto'],
        [40, '\r'],
      ]),
    ).toEqual(['paste:long enough\nto', 'enter'])
  })

  test('a short word with its Enter in one read is typing over a slow link', () => {
    expect(gathered([[0, 'ls\r']])).toEqual(['text:ls', 'enter'])
  })

  test('text without Enter is left as it is', () => {
    expect(gathered([[0, 'a long text at once']])).toEqual(['text:a long text at once'])
  })

  test('keys that are not characters stay between the pastes', () => {
    expect(gathered([[0, 'abcdefgh\r\x1b[Ax']])).toEqual(['paste:abcdefgh\n', 'up', 'paste:x'])
  })
})

describe('input typed before the terminal was in raw mode', () => {
  const typed = (input: string, rawForMs: number) => {
    const { events, enter } = enterTypedBefore(decode(idleDecoder, input).events, rawForMs)
    return [...events, ...(enter === null ? [] : [enter])].map((event) =>
      event.kind === 'key' ? `${event.ctrl ? 'ctrl+' : ''}${event.name}` : event.kind,
    )
  }

  test('ends with Enter where a line end is last', () => {
    expect(typed('fix the cache\n', 5)).toEqual(['text', 'enter'])
    expect(typed('one\ntwo\n', 5)).toEqual(['text', 'ctrl+j', 'text', 'enter'])
  })

  test('is not what comes later, or ends without a line end', () => {
    expect(typed('fix\n', 60)).toEqual(['text', 'ctrl+j'])
    expect(typed('one\ntwo', 5)).toEqual(['text', 'ctrl+j', 'text'])
  })
})
