import { linkSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

/** Runs a command and returns its item and the notices. */
async function ranIn(place: ReturnType<typeof testPlace>, command: string) {
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command } }] }, { text: 'ok' })
  const { watched } = await place.talk({ model }, { sandbox: 'danger-full-access' })
  await watched.send('go')
  await watched.turnEnded()
  const items = watched.items()
  return {
    call: items.find(({ type }) => type === 'commandExecution'),
    notices: items.filter(({ type }) => type === 'notice'),
  }
}

describe('a command that writes to a file with further names', () => {
  it('is followed by a notice, and the model is told, when one lies outside', async () => {
    await using place = testPlace()
    const outside = join(place.root, 'notes')
    writeFileSync(outside, 'mine\n')
    linkSync(outside, join(place.cwd, 'h'))
    const { call, notices } = await ranIn(place, 'echo more >> h; echo x > other')
    expect(readFileSync(outside, 'utf8')).toBe('mine\nmore\n')
    const said = `${join(place.cwd, 'h')} has further names (hard links) outside the writable folders`
    expect(notices).toMatchObject([{ level: 'warning', code: 'writtenThrough', title: expect.stringContaining(said) }])
    expect(call).toMatchObject({ modelText: expect.stringContaining(said) })
  })

  it.each([
    ['all lie in the workspace', 'echo more >> h'],
    ['it gets a new file in its place', 'echo more > new; mv new far'],
    ['it only reads it', 'cat far'],
  ])('is followed by nothing when %s', async (_, command) => {
    await using place = testPlace()
    place.write('a', 'mine\n')
    linkSync(join(place.cwd, 'a'), join(place.cwd, 'h'))
    writeFileSync(join(place.root, 'notes'), 'mine\n')
    linkSync(join(place.root, 'notes'), join(place.cwd, 'far'))
    const { call, notices } = await ranIn(place, command)
    expect(notices).toEqual([])
    expect(call).toMatchObject({ status: 'completed', modelText: expect.not.stringContaining('hard links') })
  })
})
