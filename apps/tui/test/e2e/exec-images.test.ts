import { rm, truncate, writeFile } from 'node:fs/promises'
import { smallGif as gif, smallPng as png } from '@parley/testkit'
import { expect, test } from 'vitest'
import { type ExecWorld, execWorld } from './exec-world.ts'

const urlOf = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`

async function withImages(world: ExecWorld): Promise<void> {
  await writeFile(world.path('a.png'), png)
  await writeFile(world.path('b,c.gif'), gif)
}

test.concurrent.each([
  ['responses', 'input_image'],
  ['chat', 'image_url'],
])('images reach the model over the %s wire, also when their files are gone', async (wire, type) => {
  await using world = await execWorld({ steps: [{ text: 'Seen.' }, { text: 'Still seen.' }] })
  await withImages(world)
  const wireApi = ['-c', `model_providers.local.wire_api="${wire}"`]
  await world.exec([...wireApi, '-i', 'a.png', '--image', 'b,c.gif', 'what are these?'])
  await rm(world.path('a.png'))
  await rm(world.path('b,c.gif'))
  expect((await world.exec([...wireApi, 'resume', '--last', 'and now?'])).stdout).toBe('Still seen.\n')
  for (const { text } of world.model.requests) {
    expect(text.split(`"type":"${type}"`)).toHaveLength(3)
    const places = ['what are these?', urlOf('png', png), urlOf('gif', gif)].map((part) => text.indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
  }
})

test.concurrent('several images may be named with commas between', async () => {
  await using world = await execWorld({ steps: [{ text: 'Seen.' }] })
  await withImages(world)
  await writeFile(world.path('d.png'), png)
  await world.exec(['-i', 'a.png,d.png', 'compare'])
  expect(world.model.requests[0]?.text.split('"input_image"')).toHaveLength(3)
})

test.concurrent.each([
  ['is not there', 'none.png', /There is no image \/.*none\.png/],
  ['is a folder', '.', /is not a file/],
  ['is a device', '/dev/stdin', /is not a file/],
  ['is no image', 'words.png', /words\.png is not a PNG, JPEG, GIF or WebP image/],
  ['is cut off', 'cut.png', /cut\.png is cut off or damaged: it begins as a PNG image/],
  ['is too large', 'large.png', /large\.png has 11\.0 MiB; an image may have 10 MiB/],
])('an image that %s is a usage error, before anything is asked', async (_name, path, words) => {
  await using world = await execWorld({ files: { 'words.png': 'words', 'large.png': '' } })
  await writeFile(world.path('cut.png'), png.subarray(0, 40))
  await truncate(world.path('large.png'), 11 << 20)
  const { exitCode, stderr } = await world.exec(['-i', path, 'what is this?'])
  expect(exitCode).toBe(2)
  expect(stderr).toMatch(words)
  expect(world.model.requests).toEqual([])
})
