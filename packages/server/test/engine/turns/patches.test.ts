import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { namesIn, testPlace } from '../support/test-server.ts'

const patch = `*** Begin Patch
*** Update File: a.txt
@@
-alpha
+beta
*** Add File: b.txt
+new
*** End Patch`

const call = { name: 'apply_patch', args: { patch } }

describe('a patch', () => {
  it('is shown as a diff, applied after the approval, and recorded with hashes', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const { watched } = await place.talk({ model: scriptedModel({ calls: [call] }, { text: 'ok' }) })
    await watched.send('go')
    const approval = await watched.approval()
    expect(approval).toMatchObject({ kind: 'patch', detail: expect.stringContaining('-alpha\n+beta') })
    expect(place.read('a.txt')).toBe('alpha\n')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('a.txt')).toBe('beta\n')
    expect(place.read('b.txt')).toBe('new\n')
    expect(namesIn(place.cwd)).toEqual(['a.txt', 'b.txt'])
    const started = watched.events.find(({ event }) => event.type === 'execution.started')?.event
    expect(started).toMatchObject({
      changes: [
        { path: 'a.txt', kind: 'update' },
        { path: 'b.txt', kind: 'add', before: null },
      ],
    })
    expect(watched.items()[1]).toMatchObject({
      type: 'fileChange',
      status: 'completed',
      title: 'Patch a.txt and 1 more',
    })
  })

  it('is rejected without a question when it does not apply, and changes no file', async () => {
    await using place = testPlace()
    place.write('a.txt', 'gamma\n')
    const model = scriptedModel({ calls: [call] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.story().some((line) => line.startsWith('approval'))).toBe(false)
    expect(watched.items()[1]).toMatchObject({ status: 'failed' })
    expect(namesIn(place.cwd)).toEqual(['a.txt'])
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ isError: true, text: expect.stringContaining('a.txt') })
  })

  it('is rejected with the reason when it is malformed', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [{ name: 'apply_patch', args: { patch: 'rubbish' } }] }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ text: expect.stringContaining('No file was changed.') })
  })

  it('changes nothing when it is denied', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha\n')
    const { watched } = await place.talk({ model: scriptedModel({ calls: [call] }, { text: 'ok' }) })
    await watched.send('go')
    await watched.decide('denied')
    await watched.turnEnded()
    expect(place.read('a.txt')).toBe('alpha\n')
    expect(watched.items()[1]).toMatchObject({ status: 'denied' })
  })
})
