import type { RecordedRequest } from '@parley/testkit'
import { expect, test } from 'vitest'
import { type ExecWorld, execWorld } from './exec-world.ts'

/** Refuses a request with the word in it as OpenAI does, and names the item; else answers. */
function strict({ body, text }: RecordedRequest) {
  const { input } = body as { readonly input: readonly object[] }
  const at = input.findIndex((item) => JSON.stringify(item).includes('MARK'))
  if (at < 0) return { text: text.includes('left out') ? 'Without it.' : 'It is a MARK.' }
  const error = {
    message: `Invalid value in input[${at}].`,
    type: 'invalid_request_error',
    param: `input[${at}]`,
    code: null,
  }
  return { status: 400, body: { error } }
}

const strictWorld = () => execWorld({ steps: Array.from({ length: 12 }, () => strict) })

async function poisoned(): Promise<ExecWorld> {
  const world = await strictWorld()
  const first = await world.execJson(['go'])
  expect(first.end).toMatchObject({ exitCode: 0 })
  return world
}

test('a history that the provider refuses ends a run with the item and the way out, and --repair goes on without it', async () => {
  await using world = await poisoned()
  const { end, result } = await world.execJson(['resume', '--last', 'again'])
  expect(end).toMatchObject({
    outcome: 'failed',
    failure: { code: 'invalidRequest', refused: { what: expect.any(String) } },
  })
  expect(end.failure?.message).toContain('an answer of the model "It is a MARK."')
  expect(end.failure?.message).toContain('parley exec --repair')
  expect(result.exitCode).not.toBe(0)
  const repaired = await world.execJson(['--repair', 'resume', '--last', 'once more'])
  expect(repaired.end).toMatchObject({ exitCode: 0, answer: 'Without it.' })
  const cleared = repaired.events.filter(({ type }) => type === 'context.cleared')
  expect(cleared).toMatchObject([{ why: 'refused', itemIds: [expect.any(String)] }])
  const after = await world.execJson(['resume', '--last', 'and now'])
  expect(after.end).toMatchObject({ exitCode: 0 })
  const fork = await world.execJson(['fork', '--last', 'and in a copy'])
  expect(fork.end).toMatchObject({ exitCode: 0 })
})

test('a message that is refused by itself is left out by --repair, and the run ends', async () => {
  await using world = await strictWorld()
  const { end } = await world.execJson(['--repair', 'say MARK'])
  expect(end).toMatchObject({ exitCode: 0, answer: 'Without it.' })
})

test('--repair leaves out nothing that the provider has not named', async () => {
  const refusing = () => ({
    status: 400,
    body: { error: { message: 'Not acceptable.', type: 'invalid_request_error' } },
  })
  await using world = await execWorld({ steps: Array.from({ length: 4 }, () => refusing) })
  const { end, events } = await world.execJson(['--repair', 'go'])
  expect(end).toMatchObject({ outcome: 'failed', failure: { refused: { seqs: [] } } })
  expect(events.filter(({ type }) => type === 'context.cleared')).toEqual([])
  expect(events.filter(({ type }) => type === 'model.requested')).toHaveLength(1)
})
