import { createLogReader } from '@parley/engine/src/conversation/journal.ts'
import { createLogFold } from '@parley/engine/src/conversation/log-fold.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { type LogLine, withChecksum } from '@parley/journal'
import { type ConversationState, initialState, storedEventProblem } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { richTalk } from '../support/rich-talk.ts'
import { testPlace } from '../support/test-server.ts'

const replacements: readonly unknown[] = [undefined, null, 'x', 5, true, [], {}, [null]]

type Holder = Record<string, unknown>

/** Every field of a value, at any depth, by its path. */
function paths(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...paths(inner, [...at, key])])
}

/** A line with another value at a path of its event, and the right checksum. */
function forged(line: string, path: readonly string[], by: unknown): string {
  const { crc: _, ...envelope } = JSON.parse(line)
  const holder = path.slice(0, -1).reduce((value: Holder, key) => Object(value[key]), envelope.event)
  const key = path.at(-1) ?? ''
  if (by === undefined) Reflect.deleteProperty(holder, key)
  else holder[key] = by
  return withChecksum(JSON.stringify(envelope)).text
}

function foldOf(lines: readonly string[]): ConversationState {
  const fold = createLogFold({ state: initialState('c') }, createLogReader(null))
  let byteOffset = 0
  for (const text of lines) {
    const { seq, event } = JSON.parse(text)
    const bytes = Buffer.from(text)
    const line: LogLine = {
      seq,
      type: event.type,
      byteOffset,
      endOffset: byteOffset + bytes.length + 1,
      bytes,
      unchecked: false,
    }
    byteOffset = line.endOffset
    fold.take(line)
  }
  return fold.state
}

describe('a log with an event that breaks the schema', () => {
  it('folds without it, whichever field of which event is another', { timeout: 60_000 }, async () => {
    await using place = testPlace()
    const { watched, server } = await richTalk(place)
    await server.close()
    const [, ...lines] = place.logLines(watched.conversationId)
    const seen = new Set<string>()
    for (const [at, line] of lines.entries()) {
      const { event } = JSON.parse(line)
      for (const path of paths(event))
        for (const by of replacements) {
          // One value that the check takes is enough for each kind of field, and what it refuses is not folded.
          const kind = `${event.type} ${event.item?.type} ${path.join('.').replaceAll(/\d+/g, '0')}`
          const changed = forged(line, path, by)
          if (seen.has(kind) || storedEventProblem(JSON.parse(changed).event) !== null) continue
          seen.add(kind)
          const whole = [...lines.slice(0, at), changed, ...lines.slice(at + 1)]
          expect(() => foldOf(whole), `${at} ${kind}`).not.toThrow()
        }
    }
    expect(seen.size).toBeGreaterThan(50)
  })

  it('opens, names what is left out, once, and is listed, searched, read and gone on with', async () => {
    await using place = testPlace()
    const talk = await place.talk({ model: scriptedModel({ text: 'an answer' }) })
    const { conversationId } = talk.watched
    await talk.watched.send('a question')
    await talk.watched.turnEnded()
    await talk.server.close()
    const [header = '', created = '', ...rest] = place.logLines(conversationId)
    place.writeLog(conversationId, [header, forged(created, ['settings', 'writableRoots'], undefined), ...rest])
    const first = place.start({ model: scriptedModel({ text: 'more' }) })
    const client = await first.connect()
    await client.request('conversation/list', {})
    await client.request('conversation/search', { query: 'answer' })
    await client.request('conversation/read', { conversationId })
    const { recovered, settings } = await client.request('conversation/resume', { conversationId })
    expect(recovered).toContain('1 damaged place in the log skipped')
    expect(settings).toMatchObject({ sandbox: 'read-only', approvalPolicy: 'untrusted' })
    const watched = await client.watch(conversationId)
    expect(watched.events.find(({ event }) => event.type === 'conversation.created')).toBeUndefined()
    await watched.send('and now')
    await watched.turnEnded()
    expect(watched.items().map(({ text }) => text)).toEqual(['a question', 'an answer', 'and now', 'more'])
    await first.close()
    const again = await place.start().connect()
    expect(await again.request('conversation/resume', { conversationId })).toMatchObject({ recovered: null })
  })
})
