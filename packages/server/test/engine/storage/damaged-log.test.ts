import { readFileSync, writeFileSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { encodeHeader, encodeLine } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

/** A closed conversation with two turns. */
async function closedTalk(place: TestPlace): Promise<string> {
  const { watched, server } = await place.talk({ model: scriptedModel({ text: 'A' }, { text: 'B' }) })
  for (const text of ['one', 'two']) {
    await watched.send(text)
    await watched.turnEnded()
  }
  await server.close()
  return watched.conversationId
}

const reopen = async (place: TestPlace) => place.start({ model: scriptedModel({ text: 'C' }) }).connect()

describe('a damaged log', () => {
  it('opens with a torn last line, keeps the piece aside and continues', async () => {
    await using place = testPlace()
    const conversationId = await closedTalk(place)
    const path = place.path(conversationId)
    writeFileSync(path, readFileSync(path).subarray(0, -20))
    const client = await reopen(place)
    const { recovered } = await client.request('conversation/resume', { conversationId })
    expect(recovered).toMatch(
      /^Recovered after parley ended unexpectedly: an unfinished last line \(\d+ bytes\) was kept aside/,
    )
    const watched = await client.watch(conversationId)
    expect(watched.items().at(-1)).toMatchObject({ text: 'B' })
    await watched.send('three')
    await watched.turnEnded()
    expect(watched.items().map(({ text }) => text)).toEqual(['one', 'A', 'two', 'B', 'three', 'C'])
  })

  it('names the missing event of a flipped bit, and names it once', async () => {
    await using place = testPlace()
    const conversationId = await closedTalk(place)
    const path = place.path(conversationId)
    const bytes = readFileSync(path)
    const at = bytes.indexOf('"text":"A"') + 8
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(path, bytes)
    const seq = JSON.parse(place.logLines(conversationId).find((line) => line.includes('"text":"@"')) ?? '{}').seq
    const first = place.start({ model: scriptedModel({ text: 'C' }) })
    const client = await first.connect()
    const { recovered } = await client.request('conversation/resume', { conversationId })
    expect(recovered).toContain('damaged place')
    const reported = JSON.parse(
      place.logLines(conversationId).find((line) => line.includes('conversation.recovered')) ?? '{}',
    )
    expect(reported.event).toMatchObject({ lost: [{ fromSeq: seq, toSeq: seq }], tornBytes: 0 })
    const watched = await client.watch(conversationId)
    await watched.send('three')
    await watched.turnEnded()
    await first.close()
    const again = await reopen(place)
    expect(await again.request('conversation/resume', { conversationId })).toMatchObject({ recovered: null })
  })

  it('loses only the first of two torn records that are joined', async () => {
    await using place = testPlace()
    const conversationId = await closedTalk(place)
    const path = place.path(conversationId)
    const lines = readFileSync(path, 'utf8').split('\n')
    const joined = [...lines.slice(0, -3), `${lines.at(-3)?.slice(0, 30)}\n${lines.at(-2)}`, ''].join('\n')
    writeFileSync(path, joined)
    const client = await reopen(place)
    const { recovered } = await client.request('conversation/resume', { conversationId })
    expect(recovered).toContain('1 damaged place in the log skipped')
  })

  it('is read as found when it was edited by hand, with a warning', async () => {
    await using place = testPlace()
    const conversationId = await closedTalk(place)
    const path = place.path(conversationId)
    const edited = readFileSync(path, 'utf8')
      .split('\n')
      .map((line) =>
        line.includes('"text":"B"') && line.includes('item.completed')
          ? line.replace('"text":"B"', '"text":"mine"').replace(/,"crc":"\w+"/, '')
          : line,
      )
    writeFileSync(path, edited.join('\n'))
    const client = await reopen(place)
    expect(await client.request('conversation/resume', { conversationId })).toMatchObject({
      recovered: null,
      warnings: ['1 line of the log was edited by hand and taken as found.'],
    })
    const watched = await client.watch(conversationId)
    expect(watched.items().at(-1)).toMatchObject({ text: 'mine' })
  })

  it('keeps an event of a later program and continues', async () => {
    await using place = testPlace()
    const conversationId = await closedTalk(place)
    const path = place.path(conversationId)
    const seq = place.logLines(conversationId).length
    writeFileSync(
      path,
      `${readFileSync(path, 'utf8')}${encodeLine({ seq, at: 1, event: { type: 'moon.landed', by: 'x' } }).text}\n`,
    )
    const client = await reopen(place)
    expect(await client.request('conversation/resume', { conversationId })).toMatchObject({
      recovered: null,
      readOnly: false,
    })
    const watched = await client.watch(conversationId)
    expect(watched.state.core.seq).toBe(seq)
    const fork = await client.request('conversation/fork', { conversationId })
    expect(place.logLines(fork.conversationId)[seq]).toContain('moon.landed')
    await watched.send('three')
    await watched.turnEnded()
  })

  it('opens read-only with the reason when its format is newer, and stays unchanged', async () => {
    await using place = testPlace()
    const conversationId = await closedTalk(place)
    const path = place.path(conversationId)
    const [, ...lines] = place.logLines(conversationId)
    const text = [encodeHeader({ format: 9, minReader: 9, conversationId }), ...lines, ''].join('\n')
    writeFileSync(path, text)
    const client = await reopen(place)
    expect(await client.request('conversation/resume', { conversationId })).toMatchObject({
      readOnly: true,
      warnings: [expect.stringContaining('newer parley (log format 9)')],
    })
    expect(
      await client.refused('conversation/sendMessage', { conversationId, input: [{ type: 'text', text: 'x' }] }),
    ).toMatchObject({ code: 'readOnly' })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  it('is no conversation when it holds no event', async () => {
    await using place = testPlace()
    const conversationId = await closedTalk(place)
    writeFileSync(place.path(conversationId), `${place.logLines(conversationId)[0]}\n`)
    const client = await reopen(place)
    expect(await client.refused('conversation/resume', { conversationId })).toMatchObject({
      code: 'conversationNotFound',
    })
    expect((await client.request('conversation/list', {})).conversations).toEqual([])
  })
})
