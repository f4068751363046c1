import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const

/** Runs a turn that starts a command in the background, and another one after its notice has come. */
async function toldOf(args: object, code: string) {
  await using place = testPlace()
  const start = { name: 'shell', args: { ...args, background: true } }
  const model = scriptedModel({ calls: [start] }, { text: 'ok' }, { text: 'ok' })
  const { watched } = await place.talk({ model }, free)
  await watched.send('go')
  const { item } = await watched.until(({ window }) =>
    window.find((one) => one.item.type === 'notice' && one.item.code === code),
  )
  const turns = model.requests.length
  await watched.until(({ core }) => core.turn === null)
  await watched.send('two')
  await watched.turnEnded()
  return { item, turns, told: JSON.stringify(model.requests.at(-1)?.entries), items: watched.items() }
}

describe('a command in the background', () => {
  it('ends at its time limit, as everyone is told', async () => {
    const { item, told } = await toldOf({ command: 'exec sleep 600', timeout_s: 1 }, 'backgroundEnded')
    expect(item).toMatchObject({ level: 'warning', ended: [{ timedOut: true }] })
    expect(item.title).toMatch(/^Ended in the background: exec sleep 600 · ended by its time limit after [\d.]+ s$/)
    expect(told).toMatch(/Ended in the background: i-\w+ \(ended by its time limit/)
  })

  it('tells once what it was to tell when it prints it, to the model without the line', async () => {
    const command = 'echo ready on 80; echo ready on 81; exec sleep 600'
    const { item, told, items } = await toldOf({ command, tell_when: 'ready*80|never' }, 'backgroundPrinted')
    expect(item).toMatchObject({ level: 'info', text: 'ready on 80', printed: items[1]?.id })
    expect(item.title).toBe(`Printed in the background: ${command}`)
    expect(told.split('has printed what tell_when, or the user, waits for')).toHaveLength(2)
    expect(told.split('not written by the user')[1]).not.toContain('ready on 80')
    expect(items.filter((one) => 'code' in one && one.code === 'backgroundPrinted')).toHaveLength(1)
  })

  it.each([
    [{ timeout_s: 5 }, 'timeout_s needs background: true.'],
    [{ tty: true }, 'tty needs background: true.'],
    [{ background: true, tell_when: '.*' }, 'No regular expression'],
  ])('is not started with %j', async (args, problem) => {
    await using place = testPlace()
    const model = scriptedModel(
      { calls: [{ name: 'shell', args: { command: 'touch made', ...args } }] },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ modelText: expect.stringContaining(problem) })
  })
})
