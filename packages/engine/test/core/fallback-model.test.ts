import type { ModelFailure } from '@parley/models'
import { describe, expect, it } from 'vitest'
import { nextModel } from '../../src/core/fallback-model.ts'

const overloaded: ModelFailure = { code: 'overloaded', message: 'Busy.', retry: 'long' }
const settings = { modelProvider: 'a', model: 'one' } as never // narrowed: only these two are read
const begun = { settings, turn: {} as never }
const on = (modelProvider: string, model: string) => ({
  settings,
  turn: { fallback: { modelProvider, model } } as never,
})
const list = [{ model: 'two' }, { model: 'three', provider: 'b' }]

describe('the model that takes over', () => {
  it('is the first of the list, of the same provider unless one is named', () => {
    expect(nextModel(begun, list, overloaded)).toEqual({ modelProvider: 'a', model: 'two' })
  })

  it('is the next one after each, and none after the last', () => {
    expect(nextModel(on('a', 'two'), list, overloaded)).toEqual({ modelProvider: 'b', model: 'three' })
    expect(nextModel(on('b', 'three'), list, overloaded)).toBeNull()
  })

  it('is each one once, should the list name it twice', () => {
    const twice = [...list, { model: 'two', provider: 'a' }]
    expect(nextModel(on('a', 'two'), twice, overloaded)?.model).toBe('three')
    expect(nextModel(on('b', 'three'), twice, overloaded)).toBeNull()
  })

  it('is never the model that has failed, should the list name it', () => {
    expect(nextModel(begun, [{ model: 'one' }, ...list], overloaded)?.model).toBe('two')
  })

  it.each(['auth', 'noCredentials', 'contextTooLong', 'invalidRequest', 'notFound', 'tls'] as const)(
    'is none after %s, which the user has to mend',
    (code) => {
      expect(nextModel(begun, list, { ...overloaded, code, retry: 'never' })).toBeNull()
    },
  )

  it.each(['quota', 'unknownModel'] as const)('is there after %s, which another model need not have', (code) => {
    expect(nextModel(begun, list, { ...overloaded, code, retry: 'never' })?.model).toBe('two')
  })

  it('goes past a model of the list that cannot be used at all', () => {
    const failure = { ...overloaded, code: 'noCredentials', retry: 'never' } as const
    expect(nextModel(on('a', 'two'), list, failure)?.model).toBe('three')
  })

  it('is none without a list', () => {
    expect(nextModel(begun, [], overloaded)).toBeNull()
  })
})
