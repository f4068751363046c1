import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../support/scripted-model.ts'
import { fullAccess, testPlace } from '../support/test-server.ts'

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAIAAAADCAIAAAA=', 'base64')
const view = (path: string) => ({ calls: [{ name: 'view_image', args: { path } }] })
const shown = { type: 'image', mediaType: 'image/png', base64: png.toString('base64') }

describe('view_image', () => {
  it('shows an image to the model, also after a restart when the file is gone', async () => {
    await using place = testPlace()
    writeFileSync(join(place.cwd, 'a.png'), png)
    const model = scriptedModel(view('a.png'), { text: 'I see' }, { text: 'still' })
    const { watched, server } = await place.talk({ model })
    await watched.send('look')
    await watched.turnEnded()
    const result = model.requests[1]?.entries.at(-1)
    expect(result).toMatchObject({
      kind: 'result',
      text: expect.stringMatching(/^a\.png: image\/png, 2 × 3 pixels, /),
      images: [shown],
    })
    const item = watched.items().find(({ type }) => type === 'toolCall')
    expect(item).toMatchObject({ title: 'View a.png', images: [{ mediaType: 'image/png', name: 'a.png' }] })
    expect(JSON.stringify(watched.events)).not.toContain(shown.base64)
    writeFileSync(join(place.cwd, 'a.png'), 'gone')
    await server.close()
    const client = await place.start({ model }).connect()
    const { conversationId } = watched
    await client.request('conversation/resume', { conversationId })
    const again = await client.watch(conversationId)
    await again.send('and now?')
    await again.turnEnded()
    expect(model.requests[2]?.entries).toContainEqual(result)
  })

  it('keeps an image once, however often it is looked at', async () => {
    await using place = testPlace()
    writeFileSync(join(place.cwd, 'a.png'), png)
    writeFileSync(join(place.cwd, 'b.png'), png)
    const { watched } = await place.talk({ model: scriptedModel(view('a.png'), view('b.png'), { text: 'ok' }) })
    await watched.send('look')
    await watched.turnEnded()
    const files = watched.items().flatMap((item) => (item.type === 'toolCall' ? (item.images ?? []) : []))
    expect(files).toHaveLength(2)
    expect(new Set(files.map(({ file }) => file)).size).toBe(1)
  })

  it.each([
    ['words.png', 'words.png is not a PNG, JPEG, GIF or WebP image.'],
    ['none.png', 'none.png cannot be read'],
    ['.', '. cannot be read'],
    ['large.png', 'large.png has more than 10 MiB, the most that a model takes of an image.'],
  ])('refuses %s with the reason', async (path, words) => {
    await using place = testPlace()
    place.write('words.png', 'words')
    writeFileSync(join(place.cwd, 'large.png'), Buffer.concat([png, Buffer.alloc(11 << 20)]))
    const model = scriptedModel(view(path), { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('look')
    await watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({ isError: true, text: expect.stringContaining(words) })
  })

  it('asks before it reads where secrets are kept, also through a link', async () => {
    await using place = testPlace()
    symlinkSync(join(place.root, '.aws/credentials'), join(place.cwd, 'k.png'))
    const model = scriptedModel(view('k.png'), { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('look')
    expect(await watched.approval()).toMatchObject({ kind: 'read' })
    await watched.decide('denied')
    await watched.turnEnded()
  })

  it('is not offered to a model that reads no images, which gets no images of results either', async () => {
    await using place = testPlace()
    writeFileSync(join(place.cwd, 'a.png'), png)
    const model = scriptedModel(view('a.png'), { text: 'ok' })
    const { watched } = await place.talk({ model, facts: { images: false } })
    await watched.send('look')
    await watched.turnEnded()
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain('view_image')
    const result = model.requests[1]?.entries.at(-1)
    expect(result).toMatchObject({ text: expect.stringContaining('(This model reads no images.)') })
    expect(result).not.toHaveProperty('images')
  })
})

describe('a command that writes an image as its output', () => {
  it('tells the model how to look at it', async () => {
    await using place = testPlace()
    writeFileSync(join(place.cwd, 'a.png'), png)
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'cat a.png' } }] }, { text: 'ok' })
    const { watched } = await place.talk(
      { model, ceiling: fullAccess },
      { sandbox: 'danger-full-access', approvalPolicy: 'never' },
    )
    await watched.send('look')
    await watched.turnEnded()
    expect(model.requests[1]?.entries.at(-1)).toMatchObject({
      text: expect.stringContaining(
        `(binary output, ${png.length} bytes: a PNG image; write it to a file to look at it with view_image)`,
      ),
    })
  })
})
