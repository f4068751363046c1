import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { smallPng as png } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { fullAccess, testPlace } from '../support/test-server.ts'

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
    ['cut.png', 'cut.png is cut off or damaged: it begins as a PNG image, and its end is missing.'],
  ])('refuses %s with the reason', async (path, words) => {
    await using place = testPlace()
    place.write('words.png', 'words')
    writeFileSync(join(place.cwd, 'cut.png'), png.subarray(0, -1))
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
    expect(result).toMatchObject({
      text: expect.stringContaining('(An image is left out here: this model reads no images.)'),
    })
    expect(result).not.toHaveProperty('images')
  })
})

/** PNG of so many bytes, with the beginning and the end of one. */
function wholePng(sizeBytes = 57): Buffer {
  const end = png.subarray(-12)
  return Buffer.concat([png.subarray(0, 33), Buffer.alloc(sizeBytes - 33 - end.length, 7), end])
}

describe('a command that writes an image as its output', () => {
  async function outputOf(files: Readonly<Record<string, Buffer>>, command: string, facts: { images?: boolean } = {}) {
    const place = testPlace()
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(place.cwd, name), bytes)
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command } }] }, { text: 'ok' })
    const talk = await place.talk(
      { model, ceiling: fullAccess, facts },
      { sandbox: 'danger-full-access', approvalPolicy: 'never' },
    )
    await talk.watched.send('look')
    await talk.watched.turnEnded()
    const item = talk.watched.items().find(({ type }) => type === 'commandExecution')
    return { place, item, watched: talk.watched, result: model.requests[1]?.entries.at(-1) }
  }

  it.each([
    ['short', wholePng()],
    ['longer than the item', wholePng(20_000)],
    ['longer than what is kept in memory', wholePng(600_000)],
  ])('shows it to the model when it is %s, and keeps it once', async (_name, bytes) => {
    const { place, item, result, watched } = await outputOf({ 'a.png': bytes }, 'cat a.png')
    await using _place = place
    expect(result).toMatchObject({
      text: expect.stringMatching(/^exit 0 after [\d.]+ s\n\(image\/png, 2 × 3 pixels, .*\)$/),
      images: [{ type: 'image', mediaType: 'image/png', base64: bytes.toString('base64') }],
    })
    if (item?.type !== 'commandExecution') throw new Error('no command')
    expect(item.images).toMatchObject([{ mediaType: 'image/png' }])
    expect(item.images?.[0]?.file).toBe(item.output?.file ?? item.images?.[0]?.file)
    expect(watched.items().flatMap((one) => ('images' in one ? (one.images ?? []) : []))).toHaveLength(1)
  })

  it.each([
    ['is cut off', 'head -c 40 a.png', 'Not shown: the image is cut off or damaged: it begins as a PNG image'],
    ['has words behind it', 'cat a.png; echo done', 'begins as a PNG image and is not shown'],
    ['has words before it', 'echo here; cat a.png', '(binary output, 62 bytes)'],
    [
      'is too large',
      'cat large.png',
      'Not shown: the image has more than 10 MiB, the most that a model takes of an image.',
    ],
  ])('says in words that an image is not shown which %s', async (_name, command, words) => {
    const files = { 'a.png': wholePng(), 'large.png': wholePng(11 << 20) }
    const { place, item, result } = await outputOf(files, command)
    await using _place = place
    expect(result).toMatchObject({ text: expect.stringContaining(words) })
    expect(result).not.toHaveProperty('images')
    expect(item).not.toHaveProperty('images')
  })

  it('says what is left out to a model that reads no images', async () => {
    const { place, result } = await outputOf({ 'a.png': wholePng() }, 'cat a.png', { images: false })
    await using _place = place
    expect(result).toMatchObject({
      text: expect.stringMatching(/image\/png, 2 × 3 .*\n\(An image is left out here: this model reads no images\.\)$/),
    })
    expect(result).not.toHaveProperty('images')
  })
})

describe('an image that the user sends', () => {
  it('is left out in words for a model that reads none', async () => {
    await using place = testPlace()
    writeFileSync(join(place.cwd, 'a.png'), png)
    const model = scriptedModel({ text: 'ok' })
    const { client, watched } = await place.talk({ model, facts: { images: false } })
    const { conversationId } = watched
    const input = [
      { type: 'text' as const, text: 'look' },
      { type: 'image' as const, path: join(place.cwd, 'a.png') },
    ]
    await client.request('conversation/sendMessage', { conversationId, input })
    await watched.turnEnded()
    const unseen = { type: 'text', text: '(An image is left out here: this model reads no images.)' }
    expect(model.requests[0]?.entries.at(-1)).toMatchObject({ content: [{ type: 'text', text: 'look' }, unseen] })
  })
})
