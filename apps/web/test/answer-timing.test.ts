import { notePainted, unguarded } from '@parley/presentation/question/answers'
import { describe, expect, test } from 'vitest'
import { createPageSecrets, fragmentOf, readFragment } from '../src/link/page-secret.ts'
import { refusalOf } from '../src/ui/question/answer-timing.ts'

describe('a press of an answer', () => {
  const id = 'a'
  const shown = notePainted(unguarded, { approvalId: id, isSeen: false }, 1_000)
  const seen = notePainted(shown, { approvalId: id, isSeen: true }, 5_000)
  const press = (downAtMs: number, more = {}) => ({ downAtMs, keyBeforeAtMs: null, isYes: false, ...more })

  test('counts only when it began 400 ms after the question was shown', () => {
    expect(refusalOf(shown, id, press(1_399))).toBe('tooEarly')
    expect(refusalOf(shown, id, press(1_400))).toBeNull()
    expect(refusalOf(shown, 'b', press(9_000))).toBe('tooEarly')
    expect(refusalOf(unguarded, id, press(9_000))).toBe('tooEarly')
  })

  test('is a yes only 400 ms after all of it has been on the screen', () => {
    expect(refusalOf(shown, id, press(4_000, { isYes: true }))).toBe('unseen')
    expect(refusalOf(seen, id, press(5_399, { isYes: true }))).toBe('tooEarly')
    expect(refusalOf(seen, id, press(5_400, { isYes: true }))).toBeNull()
  })

  test('by a key does not count while somebody types', () => {
    expect(refusalOf(shown, id, press(9_000, { keyBeforeAtMs: 8_900 }))).toBe('tooEarly')
    expect(refusalOf(shown, id, press(9_000, { keyBeforeAtMs: 8_850 }))).toBeNull()
  })
})

describe('the secrets of a page', () => {
  const storage = () => {
    const values = new Map<string, string>()
    return {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => void values.set(key, value),
      removeItem: (key: string) => void values.delete(key),
    }
  }

  test('begin with the code of the link and go on with the token', () => {
    const tab = storage()
    const secrets = createPageSecrets(readFragment('#code=abc&folder=%2Fwork'), tab)
    expect(secrets.proof()).toEqual({ code: 'abc' })
    secrets.keep('token')
    expect(secrets.proof()).toEqual({ token: 'token' })
    const reloaded = createPageSecrets(readFragment('#'), tab)
    expect(reloaded.proof()).toEqual({ token: 'token' })
    expect(reloaded.folder).toBe('/work')
  })

  test('forget a used code before the token, and then have nothing', () => {
    const tab = storage()
    createPageSecrets(readFragment('#code=abc'), tab).keep('token')
    const again = createPageSecrets(readFragment('#code=abc'), tab)
    expect(again.proof()).toEqual({ code: 'abc' })
    expect(again.forget()).toBe(true)
    expect(again.proof()).toEqual({ token: 'token' })
    expect(again.forget()).toBe(false)
    expect(again.proof()).toBeNull()
  })

  test('leave nothing but the conversation in the address', () => {
    expect(readFragment(fragmentOf('a b'))).toEqual({ code: null, link: null, conversation: 'a b', folder: null })
    expect(fragmentOf(null)).toBe('#')
    expect(readFragment('#link=an-id.a_secret')).toMatchObject({ link: 'an-id.a_secret', conversation: 'an-id' })
  })
})
