import { readFileSync } from 'node:fs'
import { type Answer, scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const half = '\ud83d'
const escapedHalf = /\\u[dD][89a-fA-F]/
const name = 'list_dir'

const places: readonly (readonly [string, Answer])[] = [
  ['an answer', { text: `a${half}` }],
  ['an answer in pieces', { text: [`a${half}`, `b${half}`] }],
  ['reasoning', { reasoning: `a${half}`, text: 'ok' }],
  ['raw reasoning', { rawReasoning: `a${half}`, text: 'ok' }],
  ["the provider's own form", { text: 'ok', parts: [{ [`k${half}`]: [`a${half}`] }] }],
  ['the name of a call', { calls: [{ name: `list_dir${half}`, args: {} }] }],
  ['the id of a call', { calls: [{ id: `a${half}`, name, args: {} }] }],
  ['arguments that are JSON', { calls: [{ name, args: { path: `no${half}` } }] }],
  ['arguments that are no JSON', { calls: [{ name, args: `{"path":"no${half}` }] }],
]

describe('half of a character', () => {
  it.each(places)(
    'in %s of a model is U+FFFD in the log, for clients and in the next request',
    async (_what, answer) => {
      await using place = testPlace()
      const model = scriptedModel(answer, { text: 'ok' })
      const { watched } = await place.talk({ model })
      await watched.send('go')
      await watched.turnEnded()
      await watched.send('on')
      await watched.turnEnded()
      const log = readFileSync(place.path(watched.conversationId), 'utf8')
      expect(log).toMatch(/\ufffd|\\\\ud83d/)
      expect(log.replaceAll('\\\\', '')).not.toMatch(escapedHalf)
      expect(JSON.stringify(watched.items()).replaceAll('\\\\', '')).not.toMatch(escapedHalf)
      expect(JSON.stringify(model.requests.at(-1)).replaceAll('\\\\', '')).not.toMatch(escapedHalf)
    },
  )

  it('of a message and of a command is U+FFFD, and a character cut in two deltas is whole', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: ['a\ud83d', '\ude00b'] })
    const { client, watched } = await place.talk({ model })
    const { conversationId } = watched
    await watched.send(`go${half}`)
    await watched.turnEnded()
    await client.request('conversation/runShell', { conversationId, command: `: ${half}` })
    const texts = watched
      .items()
      .map((item) => (item.type === 'userMessage' ? item.content : item.type === 'agentMessage' ? item.text : ''))
    expect(texts).toContainEqual([{ type: 'text', text: 'go\ufffd' }])
    expect(texts).toContain('a\u{1f600}b')
    expect(readFileSync(place.path(conversationId), 'utf8')).not.toMatch(escapedHalf)
  })
})
