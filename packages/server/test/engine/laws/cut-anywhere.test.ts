import { rmSync, writeFileSync } from 'node:fs'
import { createModelView } from '@parley/engine/src/core/model-view.ts'
import { countingHost } from '@parley/engine/test/support/counting-host.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { settleTurn } from '@parley/engine/test/support/settle-turn.ts'
import type { TestClient, Watched } from '@parley/engine/test/support/test-client.ts'
import { expectValid } from '@parley/engine/test/support/valid-entries.ts'
import { checkLine } from '@parley/journal'
import { type ConversationEvent, type Envelope, initialState, reduce } from '@parley/protocol'
import { diskPatchFiles } from '@parley/workspace'
import { describe, expect, it } from 'vitest'
import { richTalk } from '../support/rich-talk.ts'
import { testPlace } from '../support/test-server.ts'

const eventsOf = (lines: readonly string[]): ConversationEvent[] => lines.map((line) => JSON.parse(line).event)

/** Settles the turn and sends one more message. */
async function goOn(client: TestClient, watched: Watched): Promise<void> {
  await settleTurn(client, watched)
  await watched.send('go on')
  await watched.turnEnded()
}

function begunIn(lines: readonly string[]): Set<string> {
  return new Set(eventsOf(lines).flatMap((event) => (event.type === 'execution.started' ? [event.itemId] : [])))
}

describe('a log cut at any line', () => {
  it('opens, continues, sends a valid request and starts nothing a second time', { timeout: 60_000 }, async () => {
    await using place = testPlace()
    const { watched: live, server } = await richTalk(place)
    const { conversationId } = live
    await server.close()
    const [header = '', ...lines] = place.logLines(conversationId)
    const commands = live.items().flatMap((item) => (item.type === 'commandExecution' ? [item] : []))
    const patch = live.items().find(({ type }) => type === 'fileChange')
    for (let kept = 1; kept <= lines.length; kept++) {
      writeFileSync(place.path(conversationId), [header, ...lines.slice(0, kept), ''].join('\n'))
      place.write('a.txt', 'alpha\n')
      rmSync(`${place.cwd}/b.txt`, { force: true })
      const { host, started } = countingHost()
      const model = scriptedModel()
      let writes = 0
      const patchFiles = {
        ...diskPatchFiles,
        rename: (from: string, to: string) => {
          writes++
          return diskPatchFiles.rename(from, to)
        },
      }
      await using again = place.start({ model, host, patchFiles })
      const client = await again.connect()
      await client.request('conversation/resume', { conversationId })
      const watched = await client.watch(conversationId)
      await goOn(client, watched)

      const begun = begunIn(lines.slice(0, kept))
      for (const { id, text } of commands) {
        const starts = started.filter((command) => command === text).length
        expect({ kept, text, starts }).toMatchObject({ starts: begun.has(id) ? 0 : Math.min(1, starts) })
      }
      if (patch !== undefined && begun.has(patch.id)) expect(writes).toBe(0)
      for (const { entries } of model.requests) expectValid(entries)
      expect(watched.state.core).toMatchObject({ turn: null, open: {}, approvals: {} })
      const after = place.logLines(conversationId).slice(1)
      expect(after.slice(0, kept)).toEqual(lines.slice(0, kept))
      expect(after.map((line) => checkLine(Buffer.from(line)).state)).toEqual(after.map(() => 'sound'))
      expect(after.map((line) => JSON.parse(line).seq)).toEqual(after.map((_, index) => index + 1))
    }
  })

  it('gives the same request when folded live and when read back', async () => {
    await using place = testPlace()
    const { watched, server } = await richTalk(place)
    const { conversation } = server.engine.host.get(watched.conversationId)
    const [, ...lines] = place.logLines(watched.conversationId)
    const view = createModelView()
    for (const [index, event] of eventsOf(lines).entries()) view.apply(event, { seq: index + 1, place: 0 })
    const { sideFiles } = conversation
    expect(view.request.entries(sideFiles)).toEqual(conversation.view.request.entries(sideFiles))
    const { conversationId } = watched
    const folded = lines
      .map((line): Envelope => ({ conversationId, ...JSON.parse(line) }))
      .reduce(reduce, initialState(conversationId))
    expect(folded.core).toEqual(conversation.state.core)
  })
})
