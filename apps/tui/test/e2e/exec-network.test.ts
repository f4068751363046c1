import { startModelServer, waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { execWorld, jsonRun } from './exec-world.ts'

test('a model server that is killed in its answer and comes back is waited for, and asked once more', async () => {
  await using world = await execWorld({ steps: [{ text: 'The first answer', chunks: 4, hang: 'mid' }] })
  await using run = world.live(['--json', '-c', 'network_patience="1m"', 'go'])
  const seen = (words: RegExp) => waitUntil(() => words.test(run.stdout()), { what: String(words) })
  await seen(/"item.delta"/)
  await world.model[Symbol.asyncDispose]()
  await seen(/"network":true/)
  await using back = await startModelServer([{ text: 'The whole.' }], { port: Number(new URL(world.model.url).port) })
  const { end, events } = jsonRun(await run.result)
  expect(end).toMatchObject({ exitCode: 0, answer: 'The whole.' })
  expect(back.requests).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'turn.ended')).toHaveLength(1)
})

test('without network_patience a run ends after the tries of any request', async () => {
  await using world = await execWorld()
  await world.model[Symbol.asyncDispose]()
  const { end, events } = await world.execJson(['go'])
  expect(end).toMatchObject({ exitCode: 8, failure: { code: 'unreachable' } })
  expect(events.filter(({ type }) => type === 'model.requested')).toHaveLength(5)
})
