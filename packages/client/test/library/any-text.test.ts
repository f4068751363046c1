import { codePoint } from '@parley/testkit/code-point'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeOf } from '../../src/connection/errors.ts'
import type { Conversation, Parley } from '../../src/index.ts'
import { libraryWorld } from './library-world.ts'
import { mebibyte, wholeText } from './whole-text.ts'

const soak = Number.parseInt(process.env['PARLEY_SOAK'] ?? '', 10) || 0
const kinds = ['x', '\0', '"', '\\', '\n', '\u2028', '\u001b', '語', '🌍', '\ud83c', '\udf0d', '\u007f']

/** Texts of every kind of character: short ones, and ones on both sides of each limit. */
const texts = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...kinds), fc.string({ unit: codePoint, maxLength: 6 })), { maxLength: 12 }),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(1) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 40_000 }) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 1_500_000 }) },
    ),
  )
  .map(([pieces, times]) => {
    const piece = pieces.join('') || 'x'
    return piece.repeat(Math.max(1, Math.min(times, Math.floor((6 * mebibyte) / piece.length))))
  })

type Said = { readonly what: 'message' | 'queued' | 'name' | 'effort' | 'command'; readonly text: string }

const said: fc.Arbitrary<Said> = fc.record({
  what: fc.constantFrom('message', 'message', 'message', 'queued', 'name', 'effort', 'command'),
  text: texts,
})

/** Says it; resolves to false when it was refused, which must come with a sentence. */
async function say(conversation: Conversation, { what, text }: Said): Promise<boolean> {
  const input = [{ type: 'text' as const, text }]
  try {
    if (what === 'message' || what === 'queued') await (await conversation.send(input)).result
    if (what === 'name') await conversation.rename(text)
    if (what === 'effort') await conversation.configure({ effort: text })
    if (what === 'command') await conversation.request('conversation/runShell', { command: `: ${text}` })
    return true
  } catch (error) {
    expect(['invalidParams', 'messageTooLarge', 'inboxFull']).toContain(codeOf(error))
    expect(error).toMatchObject({ message: expect.stringMatching(/\S{3}/) })
    return false
  }
}

async function messages(parley: Parley, { id, state }: Conversation): Promise<(string | null)[]> {
  const found: (string | null)[] = []
  for (const { item } of state.window)
    if (item.type === 'userMessage') found.push(await wholeText(parley, id, item.content))
  return found
}

/** Texts are compared one by one: a failure that prints megabytes helps nobody. */
function expectSame(found: readonly (string | null)[], sent: readonly string[]): void {
  expect(found.map((text) => text?.length)).toEqual(sent.map(({ length }) => length))
  expect(found.map((text, index) => text === sent[index])).toEqual(sent.map(() => true))
}

/** Resolves when no command runs any more. */
function settled(conversation: Conversation): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (Object.keys(conversation.state.core.open).length > 0) return
      stop()
      resolve()
    }
    const stop = conversation.subscribe(look)
    look()
  })
}

test('Any text that is accepted can be read, followed and resumed, and any other is refused with a sentence', {
  timeout: 600_000,
}, async () => {
  const property = fc.asyncProperty(fc.array(said, { minLength: 6, maxLength: 14 }), async (all) => {
    await using world = await libraryWorld(...all.map(() => ({ text: 'ok' })), { text: 'ok' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    const sent: string[] = ['first']
    await (await conversation.send('first')).result
    await using other = await world.connect()
    const follower = await other.resume(conversation.id)
    for (const one of all) {
      const isTaken = await say(conversation, one)
      if (isTaken && (one.what === 'message' || one.what === 'queued')) sent.push(one.text.toWellFormed())
    }
    await settled(conversation)
    const { seq } = conversation.state.core
    await new Promise<void>((resolve) => {
      const stop = follower.subscribe(() => look())
      const look = () => {
        if (follower.state.core.seq < seq) return
        stop()
        resolve()
      }
      look()
    })
    // The state that was folded event by event equals the snapshot of a new client.
    await using third = await world.connect()
    const snapshot = await third.resume(conversation.id)
    expect(follower.state.core).toEqual(snapshot.state.core)
    expectSame(await messages(other, follower), sent)
    await third[Symbol.asyncDispose]()
    await other[Symbol.asyncDispose]()
    await parley[Symbol.asyncDispose]()

    await using later = await world.connect()
    const resumed = await later.resume(conversation.id)
    expect(resumed.summary.recovered).toBeNull()
    expect(resumed.state.core.digest).toBe(snapshot.state.core.digest)
    expect(resumed.state.core.meta.name).toBe(snapshot.state.core.meta.name)
    expectSame(await messages(later, resumed), sent)
  })
  await fc.assert(
    property,
    soak === 0 ? { numRuns: 1, seed: 14_001, endOnFailure: true } : { numRuns: Math.ceil(soak / 10) },
  )
})

test('A message that no line can hold is refused by the library, and the conversation goes on', async () => {
  await using world = await libraryWorld({ text: 'One.' }, { text: 'Two.' })
  await using parley = await world.connect()
  const conversation = await parley.create({ cwd: world.cwd })
  await (await conversation.send('go')).result
  for (const text of ['x'.repeat(33 * mebibyte), '\0'.repeat(6 * mebibyte)]) {
    const refused = await conversation.send(text).then(
      () => null,
      (error: unknown) => error,
    )
    expect(codeOf(refused)).toBe('messageTooLarge')
    expect(refused).toMatchObject({ message: expect.stringMatching(/larger than/) })
  }
  expect(await (await conversation.send('on')).result).toMatchObject({ text: 'Two.' })
})
