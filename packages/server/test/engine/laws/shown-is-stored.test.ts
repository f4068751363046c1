import { readFileSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { checkLine } from '@parley/journal'
import type { Envelope } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { richTalk } from '../support/rich-talk.ts'
import { testPlace } from '../support/test-server.ts'

describe('the log', () => {
  it('holds every delivered event once, with the same checksum', async () => {
    await using place = testPlace()
    const { watched } = await richTalk(place)
    const [, ...lines] = place.logLines(watched.conversationId)
    expect(lines.every((line) => checkLine(Buffer.from(line)).state === 'sound')).toBe(true)
    const stored = lines.map((line) => JSON.parse(line))
    const shown = watched.events.map(({ conversationId: _id, ...envelope }) => envelope)
    expect(shown.map(({ seq, crc }) => ({ seq, crc }))).toEqual(stored.map(({ seq, crc }) => ({ seq, crc })))
    expect(shown.map(({ seq }) => seq)).toEqual(shown.map((_, index) => index + 1))
    for (const [index, { event }] of shown.entries()) {
      if (event.type === 'model.responded')
        expect(event).toEqual({ type: event.type, turnId: event.turnId, elided: true })
      else expect(event).toEqual(stored[index].event)
    }
  })

  it('holds an event before any client sees it', async () => {
    await using place = testPlace()
    const text = Array.from({ length: 50 }, (_, n) => `word ${n} `)
    const { client, summary } = await place.talk({
      model: scriptedModel({ text, calls: [{ name: 'list_dir', args: {} }] }),
    })
    const { conversationId } = summary
    const missing: number[] = []
    const watched = await client.watch(conversationId)
    const look = ({ seq, crc }: Envelope) => {
      if (!readFileSync(place.path(conversationId), 'utf8').includes(`"crc":"${crc}"}\n`)) missing.push(seq)
    }
    let looked = 0
    const looking = watched.until((_, events) => {
      for (const event of events.slice(looked)) look(event)
      looked = events.length
      return events.some(({ event }) => event.type === 'turn.ended')
    })
    await watched.send('go')
    await looking
    expect([looked > 10, missing]).toEqual([true, []])
  })
})
