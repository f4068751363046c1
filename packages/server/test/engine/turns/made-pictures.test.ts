import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { type ModelEvent, zeroUsage } from '@parley/models'
import { smallPng as png } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

type PictureEvent = Extract<ModelEvent, { type: 'picture' | 'pictureText' }>

const part = 'picture-0'
const made = (bytes: Buffer): PictureEvent => ({
  type: 'picture',
  part,
  mediaType: 'image/png',
  base64: bytes.toString('base64'),
})

async function* drawing(picture: PictureEvent): AsyncGenerator<ModelEvent> {
  yield picture
  yield { type: 'completed', parts: [{ said: 'line' }], usage: zeroUsage, stop: 'stop' }
}

describe('a picture that the model makes', () => {
  it.each([
    ['whole', made(png), /^\(Picture: image\/png, 2 × 3 pixels, .*, kept as sha256:[0-9a-f]{64}\)$/],
    ['cut off', made(png.subarray(0, -1)), /^\(The picture of the model is cut off/],
    ['no image', made(Buffer.from('sound')), /no PNG, JPEG, GIF or WebP image; it is not kept/],
    ['elsewhere', { type: 'pictureText', part, text: '(It lies at an address.)' } as const, /^\(It lies/],
  ])('%s is said, and replays to the same', async (_name, picture, text) => {
    await using place = testPlace()
    const model = scriptedModel()
    const client = { ...model.client, stream: () => drawing(picture) }
    const { client: connection, watched } = await place.talk({ model: { ...model, client } })
    await watched.send('draw')
    await watched.turnEnded()
    const { conversationId } = watched
    const item = watched.items().find(({ type }) => type === 'agentMessage')
    expect(item).toMatchObject({
      status: 'completed',
      title: 'Picture',
      images: expect.any(Array),
      text: expect.stringMatching(text),
    })
    if (item?.type !== 'agentMessage') throw new Error('no message')
    const [image] = item.images ?? []
    if (image !== undefined) {
      const kept = await connection.request('conversation/readFile', { conversationId, file: image.file })
      expect(kept.base64).toBe(png.toString('base64'))
    }
    expect(JSON.stringify(watched.events)).not.toContain(png.toString('base64'))
    expect(await connection.request('replay/run', { conversation: conversationId })).toMatchObject({ difference: null })
  })
})
