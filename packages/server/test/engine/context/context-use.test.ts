import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contextUse } from '@parley/engine/src/read/context-use.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const request = {
  model: 'm',
  instructions: `${'a'.repeat(400)}\n\n# Instructions from /w/AGENTS.md\n\n${'b'.repeat(366)}`,
  tools: [{ name: 't', description: 'd'.repeat(337), parameters: { type: 'object' as const } }],
  entries: [
    { kind: 'user' as const, content: [{ type: 'text' as const, text: 'u'.repeat(400) }] },
    { kind: 'response' as const, adapter: 'x', parts: [], text: 'r'.repeat(400), calls: [] },
    { kind: 'result' as const, callId: 'c', text: 'o'.repeat(4000), isError: false },
  ],
  cacheKey: 'k',
}
const tokensOf = (use: ReturnType<typeof contextUse>) =>
  Object.fromEntries(use.parts.map((part) => [part.kind, part.tokens]))

describe('what fills the context', () => {
  const given = { request, instructionFiles: ['/w/AGENTS.md'], counted: null, contextWindow: 1000 }

  it('is each part of the request by its bytes', () => {
    const use = contextUse(given)
    expect(tokensOf(use)).toEqual({ instructions: 101, files: 100, tools: 100, talk: 216, outputs: 1008 })
    expect(use).toMatchObject({ tokens: 1525, isScaled: false, contextWindow: 1000 })
  })

  it('is scaled to the count of the newest call', () => {
    const use = contextUse({ ...given, counted: { inputTokens: 818, estimate: 108 } })
    expect(tokensOf(use)).toEqual({ instructions: 202, files: 200, tools: 200, talk: 432, outputs: 2016 })
    expect(use.isScaled).toBe(true)
  })

  it('trusts an absurd count only so far', () => {
    const use = contextUse({ ...given, counted: { inputTokens: 900_000, estimate: 108 } })
    expect(tokensOf(use)).toMatchObject({ outputs: 4032 })
  })

  it('is answered for a conversation that is open', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'fine', usage: { inputTokens: 5000, outputTokens: 10 } })
    writeFileSync(join(place.cwd, 'AGENTS.md'), 'Use tabs.')
    const { client, watched } = await place.talk({ model })
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    const use = await client.request('conversation/context', { conversationId })
    expect(use).toMatchObject({ isScaled: true, contextWindow: 1000 })
    expect(use.parts.map(({ kind, count }) => [kind, count > 0])).toEqual([
      ['instructions', true],
      ['files', true],
      ['tools', true],
      ['talk', true],
      ['outputs', false],
    ])
    expect(use.tokens).toBeGreaterThan(4500)
    expect(use.tokens).toBeLessThan(5500)
  })
})
