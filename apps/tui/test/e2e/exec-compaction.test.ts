import { describe, expect, test } from 'vitest'
import { execWorld, shell } from './exec-world.ts'

const tooLong = { status: 400, body: { error: { code: 'context_length_exceeded', message: 'Too long' } } }
const steps = [shell('seq 1 3000'), tooLong, { text: '## Goal\nCount.', chunks: 3 }, { text: 'Counted.' }]

describe('a run whose request is too long', () => {
  test('goes on after a compaction, which stderr shows', async () => {
    await using world = await execWorld({ steps })
    const { stdout, stderr, exitCode } = await world.exec(['count'])
    expect({ stdout, exitCode }).toEqual({ stdout: 'Counted.\n', exitCode: 0 })
    expect(stderr).toMatch(
      /\n· Compacting [\d,]+ tokens\n## Goal\nCount\.\n· Compacted: [\d,]+ tokens → [\d,]+ tokens\nCounted\.\n$/,
    )
    expect(JSON.stringify(world.model.requests.at(-1)?.body)).toContain('Carried over word for word by parley')
  })

  test('has the events of it among its lines', async () => {
    await using world = await execWorld({ steps })
    const { events, end } = await world.execJson(['count'])
    expect(end).toMatchObject({ exitCode: 0, answer: 'Counted.' })
    expect(events.find(({ type }) => type === 'context.compacted')).toMatchObject({
      trigger: 'contextTooLong',
      summary: '## Goal\nCount.',
    })
  })

  test('fails with what can be done when that does not help', async () => {
    await using world = await execWorld({ steps: [shell('seq 1 3000'), tooLong, { text: 'Summary.' }, tooLong] })
    const { end } = await world.execJson(['count'])
    expect(end).toMatchObject({ exitCode: 1, failure: { code: 'contextTooLong' } })
  })
})
