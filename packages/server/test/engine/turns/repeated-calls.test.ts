import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { fullAccess, testPlace } from '../support/test-server.ts'

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
    expect(results[4]?.text).toContain(
      'This was the same call 5 times in a row, with the same arguments and the same result.',
    )
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

  it('is said to the model when one response makes it twenty times, and ends the turn when the next goes on', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const many = { calls: Array.from({ length: 20 }, () => read.calls).flat() }
    const model = scriptedModel(many, read, { text: 'never' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests).toHaveLength(2)
    const results = model.requests.at(-1)?.entries.filter((entry) => entry.kind === 'result') ?? []
    expect(results).toHaveLength(20)
    expect(results.at(-1)?.text).toContain('This was the same call 20 times in a row')
    expect(results.at(-1)?.text).toContain('If you make it once more, the turn is stopped.')
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'failed', failure: { code: 'sameCallRepeated' } })
  })

  it('goes on when the response after twenty of them makes another call', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const many = { calls: Array.from({ length: 20 }, () => read.calls).flat() }
    const model = scriptedModel(many, list, read, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  })

  it('goes on while its result changes, and counts from the last change', async () => {
    await using place = testPlace()
    place.write('count.sh', 'printf x >> n\nwc -c < n\n')
    const count = { calls: [{ name: 'shell', args: { command: 'sh count.sh' } }] }
    const model = scriptedModel(...Array.from({ length: 24 }, () => count), { text: 'ok' })
    const { watched } = await place.talk(
      { model, ceiling: fullAccess },
      { sandbox: 'danger-full-access', approvalPolicy: 'never' },
    )
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
    expect(JSON.stringify(model.requests.at(-1)?.entries)).not.toContain(hint)
  })

  it('is the same for a command, however long it takes', async () => {
    await using place = testPlace()
    const sleep = {
      calls: [
        { name: 'shell', args: { command: 'printf x >> n; sleep 0.$(wc -c < n | tr -d " "); echo still waiting' } },
      ],
    }
    const model = scriptedModel(...Array.from({ length: 6 }, () => sleep), { text: 'ok' })
    const { watched } = await place.talk(
      { model, ceiling: fullAccess },
      { sandbox: 'danger-full-access', approvalPolicy: 'never' },
    )
    await watched.send('go')
    await watched.turnEnded()
    const results = model.requests.at(-1)?.entries.filter((entry) => entry.kind === 'result') ?? []
    expect(results.map(({ text }) => text.includes(hint))).toEqual([false, false, false, false, true, false])
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
