import { PassThrough } from 'node:stream'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import type { StreamedProcess } from '@parley/host'
import { cutBytes, everyOffset } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import type { PluginPorts } from '../../../src/port/client-ports.ts'
import type { ModelClient, ModelEvent } from '../../../src/port/model-client.ts'
import { createModelClient } from '../../../src/registry.ts'
import { createPartReader } from '../../../src/wires/plugin/read-parts.ts'
import { fixture } from '../../support/read-body.ts'
import { collect, failureOf, providerAt, requestOf, textOf } from '../../support/requests.ts'
import { pluginWorld } from './plugin-world.ts'

const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

/** Returns all offsets in the soak, else a share of them. */
function offsetsOf(bytes: Uint8Array, stride: number): readonly number[] {
  const all = everyOffset(bytes)
  return isLong ? all : all.filter((offset) => offset % stride === 7)
}

interface Package {
  languageModel(id: string): {
    doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
  }
}
interface PackageSettings {
  readonly apiKey: string
  readonly fetch: typeof globalThis.fetch
  readonly generateId: () => string
}

const prompt = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] }

/** Returns the parts that a package makes of bytes that arrive in these pieces, as its process sends them. */
async function partsOf(
  make: (settings: PackageSettings) => Package,
  pieces: readonly Uint8Array[],
): Promise<unknown[]> {
  let made = 0
  const generateId = () => `id-${made++}`
  const headers = { 'content-type': 'text/event-stream' }
  const fetch = () => Promise.resolve(new Response(ReadableStream.from(pieces), { headers }))
  const { stream } = await make({ apiKey: 'k', fetch, generateId })
    .languageModel('m1')
    .doStream(prompt as never)
  const parts: unknown[] = []
  for await (const part of stream) parts.push(JSON.parse(JSON.stringify(part)))
  return parts
}

type Read = readonly (ModelEvent | { readonly error: unknown } | { readonly unfinished: string })[]

/** Returns what our reader makes of the parts; a stream without an end is unfinished. */
function readParts(parts: readonly unknown[]): Read {
  const reader = createPartReader(requestOf())
  const out: Read[number][] = []
  for (const part of parts) {
    const read = reader.read(part)
    if (!Array.isArray(read)) return [...out, read as Read[number]]
    out.push(...(read as readonly ModelEvent[]))
    if (out.some((event) => 'type' in event && event.type === 'completed')) return out
  }
  return [...out, { unfinished: 'no end' }]
}

const eventsOf = (read: Read) => read.filter((event): event is ModelEvent => 'type' in event)

const recorded = [
  ['anthropic-answer', createAnthropic],
  ['anthropic-counts', createAnthropic],
  ['anthropic-error', createAnthropic],
  ['anthropic-length', createAnthropic],
  ['anthropic-refusal', createAnthropic],
  ['gemini-answer', createGoogleGenerativeAI],
  ['gemini-length', createGoogleGenerativeAI],
  ['gemini-parallel', createGoogleGenerativeAI],
  ['gemini-pieces', createGoogleGenerativeAI],
  ['gemini-safety', createGoogleGenerativeAI],
  ['gemini-text', createGoogleGenerativeAI],
] as const

describe.each(recorded)('the recorded bytes of %s, read by a package', (name, make) => {
  const bytes = fixture(name)

  it('give the same events cut at any offset, and byte by byte', { timeout: 60_000 }, async () => {
    const whole = JSON.stringify(readParts(await partsOf(make, [bytes])))
    const differing: number[] = []
    for (const offset of offsetsOf(bytes, 61)) {
      const read = readParts(await partsOf(make, cutBytes(bytes, [offset])))
      if (JSON.stringify(read) !== whole) differing.push(offset)
    }
    expect(differing).toEqual([])
    expect(JSON.stringify(readParts(await partsOf(make, cutBytes(bytes, everyOffset(bytes)))))).toBe(whole)
  })

  it('are unfinished, or as the whole, when they break off at any offset', { timeout: 60_000 }, async () => {
    const whole = readParts(await partsOf(make, [bytes]))
    const wrong: number[] = []
    for (const offset of offsetsOf(bytes, 31)) {
      const read = readParts(await partsOf(make, [bytes.subarray(0, offset)]))
      const last = read.at(-1)
      const isCut = last !== undefined && 'unfinished' in last
      const isPart = textOf(eventsOf(whole)).startsWith(textOf(eventsOf(read)))
      if (!isPart || !(isCut || isWholeEnd(last, whole.at(-1)))) wrong.push(offset)
    }
    expect(wrong).toEqual([])
  })
})

function isWholeEnd(last: Read[number] | undefined, expected: Read[number] | undefined): boolean {
  if (last === undefined || expected === undefined) return false
  if (!('type' in last && 'type' in expected) || last.type !== 'completed' || expected.type !== 'completed')
    return JSON.stringify(last) === JSON.stringify(expected)
  return JSON.stringify([last.parts, last.stop]) === JSON.stringify([expected.parts, expected.stop])
}

/** A process of a package that writes to its pipe what the test says. */
interface ScriptedPlugin extends AsyncDisposable {
  readonly client: ModelClient
  /** Answers each call from now on with these lines, written in pieces; `ends`: and ends then. */
  answer(linesFor: (id: number) => readonly object[], cut: (bytes: Buffer) => readonly Uint8Array[], ends?: true): void
}

function scriptedPlugin(): ScriptedPlugin {
  let respond: (id: number, to: PassThrough, end: () => void) => void = () => undefined
  const spawnStreams = (): StreamedProcess => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()]
    const { promise: ended, resolve } = Promise.withResolvers<Awaited<StreamedProcess['ended']>>()
    const end = () => stdout.end(() => resolve({ exitCode: 0, signal: null }))
    stdin.setEncoding('utf8').on('data', (line: string) => {
      const { type, id } = JSON.parse(line)
      if (type === 'open') stdout.write('{"type":"ready"}\n')
      // A process that has ended hears no call.
      if (type === 'call' && !stdout.writableEnded) respond(id, stdout, end)
    })
    const stop = () => {
      end()
      return ended
    }
    return { pid: 1, stdin, stdout, stderr: new PassThrough(), ended, stop }
  }
  const world = pluginWorld()
  world.install('fake', '')
  const plugins: PluginPorts = { ...world.plugins, host: { spawnStreams } }
  const provider = { ...providerAt('', { package: 'fake' }), wireApi: 'plugin' } as const
  return {
    client: createModelClient(provider, { env: {}, plugins }),
    answer(linesFor, cut, ends) {
      respond = (id, to, end) => {
        const written = linesFor(id).map((line) => `\n${JSON.stringify(line)}\n`)
        for (const piece of cut(Buffer.from(written.join('')))) to.write(piece)
        if (ends) end()
      }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

describe('the lines of a package on its pipe', () => {
  const linesOf = async (name: string) => {
    const parts = await partsOf(name.startsWith('gemini') ? createGoogleGenerativeAI : createAnthropic, [fixture(name)])
    return (id: number) => [...parts.map((part) => ({ id, type: 'part', part })), { id, type: 'end' }]
  }

  it.each(['anthropic-answer', 'gemini-answer'])('of %s give the same events cut at any offset', async (name) => {
    await using plugin = scriptedPlugin()
    const linesFor = await linesOf(name)
    plugin.answer(linesFor, (bytes) => [bytes])
    const whole = JSON.stringify(await collect(plugin.client))
    const length = Buffer.byteLength(
      linesFor(1)
        .map((line) => `\n${JSON.stringify(line)}\n`)
        .join(''),
    )
    const differing: number[] = []
    for (const offset of offsetsOf(Buffer.alloc(length), 17)) {
      plugin.answer(linesFor, (bytes) => cutBytes(bytes, [offset]))
      if (JSON.stringify(await collect(plugin.client)) !== whole) differing.push(offset)
    }
    expect(differing).toEqual([])
    plugin.answer(linesFor, (bytes) => cutBytes(bytes, everyOffset(bytes)))
    expect(JSON.stringify(await collect(plugin.client))).toBe(whole)
  })

  it('fail as cut off, or end as the whole, when the process ends at any offset', async () => {
    await using plugin = scriptedPlugin()
    const linesFor = await linesOf('anthropic-answer')
    const length = Buffer.byteLength(
      linesFor(1)
        .map((line) => `\n${JSON.stringify(line)}\n`)
        .join(''),
    )
    plugin.answer(linesFor, (bytes) => [bytes])
    const whole = await collect(plugin.client)
    const wrong: number[] = []
    for (const offset of offsetsOf(Buffer.alloc(length), 41)) {
      plugin.answer(linesFor, (bytes) => [bytes.subarray(0, offset)], true)
      const events = await collect(plugin.client)
      const isWhole = JSON.stringify(events) === JSON.stringify(whole)
      if (!isWhole && !['streamCut', 'providerError'].includes(failureOf(events).code)) wrong.push(offset)
    }
    expect(wrong).toEqual([])
  })
})
