import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../support/scripted-model.ts'
import { testPlace } from '../support/test-server.ts'

const read = { calls: [{ name: 'read_file', args: { path: 'a.txt' } }] }
const list = { calls: [{ name: 'list_dir', args: {} }] }
const times = (count: number) => Array.from({ length: count }, () => read)

const hint = 'This was the same call'

describe('the same call in a row', () => {
  it('is said to the model at every fifth, and ends the turn before the twentieth', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const model = scriptedModel(...times(30))
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests).toHaveLength(20)
    const results = model.requests.at(-1)?.entries.filter((entry) => entry.kind === 'result') ?? []
    expect(results.flatMap(({ text }, index) => (text.includes(hint) ? [index + 1] : []))).toEqual([5, 10, 15])
    expect(results[4]?.text).toContain('This was the same call 5 times in a row, with the same arguments.')
    const { lastTurn } = watched.state.core
    expect(lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'sameCallRepeated' } })
    const message = 'The model made the same call of read_file 20 times in a row'
    expect(watched.items().at(-1)).toMatchObject({
      type: 'notice',
      level: 'error',
      title: expect.stringContaining(message),
    })
    expect(watched.items().filter(({ status }) => status === 'completed' || status === 'interrupted')).not.toHaveLength(
      0,
    )
  })

  it('is counted anew after another call, and after a message of the user', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const model = scriptedModel(...times(4), list, ...times(4), { text: 'ok' }, ...times(4), { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    await watched.send('again')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests.at(-1)?.entries)).not.toContain(hint)
  })
})
