import type { ResultOf } from '@parley/protocol'
import { RpcError } from '@parley/rpc'
import { describe, expect, test } from 'vitest'
import { checkModel } from '../../src/conversation/change-settings.ts'
import { after, turnStarted } from '../view/scenes/conversation.ts'

const state = after(turnStarted)
const { modelProvider: provider } = state.core.settings

function listing(ids: readonly string[], problems: ResultOf<'model/list'>['problems'] = []) {
  const reply = { models: ids.map((id) => ({ provider, id, current: false })), problems, local: [] }
  return { request: async () => reply as never } // narrowed: the only request is for the list
}

describe('a model that the user names', () => {
  test('is used where its provider lists it', async () => {
    expect(await checkModel({ model: 'b' }, state, listing(['a', 'b']))).toEqual({ problem: null, doubt: null })
  })

  test('is refused where its provider lists others, with the nearest and the choices', async () => {
    const { problem } = await checkModel({ model: 'gtp-5' }, state, listing(['gpt-5', 'gpt-4']))
    expect(problem).toBe(
      `${provider} has no model "gtp-5", nothing changed. Did you mean gpt-5? Choices: gpt-5, gpt-4.`,
    )
  })

  test('names at most eight choices, and counts the others', async () => {
    const ids = Array.from({ length: 11 }, (_, index) => `model-${index}`)
    const { problem } = await checkModel({ model: 'nope' }, state, listing(ids))
    expect(problem).toMatch(/model-7, and 3 more \(\/model lists them\)\.$/)
  })

  test('is used unchecked, which is said, where its provider cannot list any', async () => {
    const problems = [{ provider, message: 'it does not answer.' }]
    const { problem, doubt } = await checkModel({ model: 'x' }, state, listing([], problems))
    expect({ problem, doubt }).toEqual({
      problem: null,
      doubt: `${provider} could not list its models: it does not answer.`,
    })
    expect((await checkModel({ model: 'x' }, state, listing([]))).doubt).toContain('not checked')
  })

  test('of an unknown provider is refused by the server', async () => {
    const unknown = new RpcError(-32602, 'There is no model provider "x".', { code: 'invalidParams' })
    const refusing = { request: () => Promise.reject(unknown) }
    await expect(checkModel({ model: 'm', modelProvider: 'x' }, state, refusing)).rejects.toBe(unknown)
  })

  test('is not asked about when other settings change', async () => {
    const silent = { request: () => Promise.reject(new Error('nothing may be asked')) }
    expect(await checkModel({ effort: 'low' }, state, silent)).toEqual({ problem: null, doubt: null })
  })
})
