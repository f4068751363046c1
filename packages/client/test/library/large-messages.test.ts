import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, test } from 'vitest'
import type { InputItem } from '../../src/index.ts'
import { libraryWorld } from './library-world.ts'
import { mebibyte, wholeText } from './whole-text.ts'

const text = (value: string): InputItem[] => [{ type: 'text', text: value }]

describe('a message of', () => {
  const kinds = [
    ['10 MiB of wide characters', '語'.repeat((10 * mebibyte) / 3)],
    ['4 MiB of zero bytes', '\0'.repeat(4 * mebibyte)],
    ['100,000 lone surrogates', '\ud83c'.repeat(100_000)],
  ] as const
  // The engine proves each kind in kept-whole.test.ts.
  test.each(isLong ? kinds : kinds.slice(0, 1))(
    '%s is whole when another server has opened the conversation',
    async (_what, value) => {
      await using world = await libraryWorld({ text: 'One.' }, { text: 'Two.' })
      const first = await world.connect()
      const before = await first.create({ cwd: world.cwd })
      const kept = value.toWellFormed()
      expect(await (await before.send(text(value))).result).toMatchObject({ outcome: 'completed', text: 'One.' })
      await first[Symbol.asyncDispose]()

      await using second = await world.connect()
      const conversation = await second.resume(before.id)
      expect(conversation.summary.recovered).toBeNull()
      const [item] = conversation.state.window.map((completed) => completed.item)
      expect(item?.type).toBe('userMessage')
      if (item?.type !== 'userMessage') return
      expect((await wholeText(second, before.id, item.content)) === kept).toBe(true)
      expect(await (await conversation.send('and now')).result).toMatchObject({ outcome: 'completed', text: 'Two.' })
      expect(world.model.requests.map((request) => request.text.includes(JSON.stringify(kept)))).toEqual([true, true])
    },
  )
})

// As the engine does in kept-whole.test.ts, here through processes.
test.runIf(isLong)(
  'Ten messages of 4 MB that wait leave the conversation open to others, here and after a restart',
  async () => {
    await using world = await libraryWorld({ text: 'half', hang: 'mid' })
    await using parley = await world.connect()
    const conversation = await parley.create({ cwd: world.cwd })
    await conversation.send('go')
    const values = Array.from({ length: 10 }, (_, index) => `${index}${'語'.repeat((4 * mebibyte) / 3)}`)
    for (const value of values) await conversation.send(text(value), { when: 'queue' })
    // Another process: it joins the first one, over its socket.
    await using other = await world.connect()
    expect((await other.resume(conversation.id)).state.core.inbox).toHaveLength(10)
    await other[Symbol.asyncDispose]()
    await parley[Symbol.asyncDispose]()

    await using next = await world.connect()
    const resumed = await next.resume(conversation.id)
    const waiting: boolean[] = []
    for (const [index, { content }] of resumed.state.core.inbox.entries())
      waiting.push((await wholeText(next, conversation.id, content)) === values[index])
    expect(waiting).toEqual(values.map(() => true))
  },
)
