import { readFile, writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { smallPng as png } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { type ExecWorld, execWorld } from './exec-world.ts'

const base64 = png.toString('base64')
const events = (...all: readonly object[]) => all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const output = [
  { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: base64 },
  { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Here it is.' }] },
]
const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } }
const pictured = { inlineData: { mimeType: 'image/png', data: base64 }, thoughtSignature: 'c2VhbGVk' }

/** An answer with a picture, on each wire on which models make any. */
const answers = {
  responses: events(
    ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { status: 'completed', output, usage: {} } },
  ),
  chat: events(
    { choices: [{ index: 0, delta: { images: [image] } }] },
    { choices: [{ index: 0, delta: { content: 'Here it is.' }, finish_reason: 'stop' }] },
  ),
  gemini: events({
    candidates: [{ content: { role: 'model', parts: [pictured, { text: 'Here it is.' }] }, finishReason: 'STOP' }],
  }),
}
const picture = { file: expect.stringMatching(/^sha256:/), mediaType: 'image/png', name: 'picture.png' }
const line = /^\(Picture: image\/png, 2 × 3 pixels, 73 bytes, kept as sha256:[0-9a-f]{64}\)$/m

async function worldOn(wire: string, ...raws: readonly string[]): Promise<ExecWorld> {
  const place = await execWorld({ steps: [...raws.map((raw) => ({ raw })), { text: 'Bluer.' }] })
  await place.writeConfig(
    `model = "m"\nmodel_provider = "local"\n[model_providers.local]\nbase_url = "${place.model.url}"\nwire_api = "${wire}"\n`,
  )
  return place
}

describe.concurrent.each(Object.entries(answers))('an answer with a picture on the %s wire', (wire, raw) => {
  test('is said on stderr and in the lines of --json, beside the answer', async ({ expect }) => {
    await using place = await worldOn(wire, raw, raw)
    const { stdout, stderr } = await place.exec(['draw'])
    expect(stdout).toBe('Here it is.\n')
    expect(stderr).toMatch(line)
    expect(stderr.indexOf('Here it is.')).toBeGreaterThan(stderr.indexOf('(Picture'))
    const { events: lines, end } = await place.execJson(['draw'])
    expect(end.answer).toBe('Here it is.')
    expect(lines.filter(({ type }) => type === 'item.completed')).toContainEqual(
      expect.objectContaining({
        item: expect.objectContaining({ type: 'agentMessage', text: expect.stringMatching(line), images: [picture] }),
      }),
    )
  })

  test('goes back as a line that the API takes, and replays to the same', async ({ expect }) => {
    await using place = await worldOn(wire, raw)
    await place.exec(['draw'])
    expect((await place.exec(['resume', '--last', 'bluer'])).stdout).toBe('Bluer.\n')
    const { text = '' } = place.model.requests.at(-1) ?? {}
    expect(text).toContain('[Picture made here: image/png, 1 KiB]')
    expect(text).not.toContain(base64)
    expect((await place.parley('replay')).stdout).toMatch(/^The same: /)
  })
})

/** Returns the files of a bundle, each compressed for itself. */
function unpacked(bundle: Buffer): readonly Buffer[] {
  const files: Buffer[] = []
  const magic = Buffer.from([0x1f, 0x8b, 8])
  for (let at = bundle.indexOf(magic); at !== -1; at = bundle.indexOf(magic, at + 1))
    files.push(gunzipSync(bundle.subarray(at)))
  return files
}

test('a picture is in each form of export, and whole in a bundle', async () => {
  await using place = await worldOn('chat', answers.chat)
  await place.exec(['draw'])
  expect((await place.parley('export', '--last', '--md')).stdout).toContain('(Picture: image/png, 2 × 3 pixels')
  const page = (await place.parley('export', '--last', '--html')).stdout
  expect(page).toContain('(Picture: image/png, 2 × 3 pixels')
  expect(page).toContain('image picture.png')
  const { items } = JSON.parse((await place.parley('export', '--last', '--json', '--no-outputs')).stdout)
  expect(items.at(-2).item.images).toMatchObject([{ mediaType: 'image/png' }])
  for (const flags of [[], ['--no-outputs']]) {
    const file = place.path(`${flags.length}.tar`)
    await place.parley('bundle', '-o', file, ...flags)
    expect(unpacked(await readFile(file)).some((bytes) => bytes.equals(png))).toBe(true)
  }
})

const drawn = { choices: [{ index: 0, delta: { images: [image] } }] }
const said = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' }] })

test('a picture alone is an answer', async () => {
  await using place = await worldOn('chat', events(drawn, said('')))
  expect(await place.exec(['draw'])).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(line) })
})

test.each([
  ['behind the JSON', events({ choices: [{ index: 0, delta: { content: '{"colour":"blue"}' } }] }, drawn, said(''))],
  ['before the JSON', events(drawn, said('{"colour":"blue"}'))],
])('a picture %s of --output-schema leaves it JSON', async (_where, raw) => {
  await using place = await worldOn('chat', raw)
  await writeFile(place.path('schema.json'), '{"type":"object","required":["colour"]}')
  const { stdout, exitCode } = await place.exec(['--output-schema', 'schema.json', 'draw'])
  expect({ exitCode, answer: JSON.parse(stdout), requests: place.model.requests.length }).toEqual({
    exitCode: 0,
    answer: { colour: 'blue' },
    requests: 1,
  })
})

test('the lines of the Codex SDK say a picture before the answer', async () => {
  await using place = await worldOn('chat', answers.chat)
  const { stdout } = await place.exec(['--output-format', 'codex', 'draw'])
  const texts = stdout.split('\n').flatMap((text) => {
    const { item }: { item?: { type: string; text: string } } = text === '' ? {} : JSON.parse(text)
    return item?.type === 'agent_message' ? [item.text] : []
  })
  expect(texts).toEqual([expect.stringMatching(line), 'Here it is.'])
})
