import { expect, it } from 'vitest'
import { probeLocal } from '../src/probe-local.ts'
import { refusalOf, startLoopback } from './support/loopback.ts'
import { providerAt } from './support/requests.ts'

it('finds the servers that answer with models, and passes over the silent, the strange and the missing', async () => {
  await using good = await startLoopback(refusalOf(200, { data: [{ id: 'llama' }] }))
  await using silent = await startLoopback(() => {})
  await using strange = await startLoopback(refusalOf(200, '<html>'))
  const missing = await startLoopback()
  await missing[Symbol.asyncDispose]()
  const candidates = [silent, missing, good, strange].map(({ baseUrl }) => providerAt(baseUrl))
  const found = await probeLocal(new AbortController().signal, { candidates, timeoutMs: 1_000 })
  expect(found).toEqual([{ provider: providerAt(good.baseUrl), models: ['llama'] }])
})

it('finds nothing once aborted', async () => {
  await using good = await startLoopback(refusalOf(200, { data: [{ id: 'llama' }] }))
  expect(await probeLocal(AbortSignal.abort(), { candidates: [providerAt(good.baseUrl)] })).toEqual([])
})
