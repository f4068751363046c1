import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { settleTurn } from '@parley/engine/test/support/settle-turn.ts'
import { describe, expect, it } from 'vitest'
import { fullAccess } from '../support/test-server.ts'
import { hookWorld } from './hook-world.ts'

const free = { sandbox: 'danger-full-access', approvalPolicy: 'on-request' } as const

interface CallRun {
  readonly title: string
  readonly status: string
  /** Names of the hooks before it, in the order in which they ran. */
  readonly hooks: string[]
}

/** Calls of a log that have ended, with the hooks that ran before each started. */
function callsIn(lines: readonly string[]): CallRun[] {
  const hooks = new Map<string, string[]>()
  const ended: CallRun[] = []
  for (const { event } of lines.map((line) => JSON.parse(line))) {
    if (event.type === 'hook.ran') hooks.set(event.itemId, [...(hooks.get(event.itemId) ?? []), event.hook.name])
    if (event.type === 'item.completed' && event.item.type === 'toolCall')
      ended.push({ title: event.item.title, status: event.item.status, hooks: hooks.get(event.item.id) ?? [] })
  }
  return ended
}

describe('a log that is cut between the hooks before a call', () => {
  it('has the call run after each of its hooks ran once, or not at all', async () => {
    await using place = hookWorld()
    place.write('a.txt', 'a')
    place.write('b.txt', 'b')
    place.hook('PreToolUse', `grep -q a.txt && echo '{"hookSpecificOutput": {"permissionDecision": "ask"}}'; exit 0`)
    place.hook('PreToolUse', 'exit 0')
    // Those of the second call end once the first is asked about.
    place.hook('PreToolUse', 'grep -q b.txt && until [ -e asked ]; do sleep 0.02; done; exit 0')
    const calls = ['a.txt', 'b.txt'].map((path) => ({ name: 'read_file', args: { path } }))
    const live = await place.talk({ model: scriptedModel({ calls }, { text: 'ok' }) }, free)
    const { conversationId } = live.watched
    await live.watched.send('go')
    await live.watched.approval()
    place.write('asked', '')
    await live.watched.until(({ window }) => window.find(({ item }) => item.type === 'toolCall'))
    await live.watched.decide('approved')
    await live.watched.turnEnded()
    await live.server.close()
    const whole = place.logLines(conversationId)
    const found = new Set<string>()
    const first = whole.findIndex((line) => line.includes('"model.responded"'))
    const last = whole.findLastIndex((line) => line.includes('"toolCall"'))
    for (let kept = first; kept <= last + 2; kept++) {
      place.writeLog(conversationId, whole.slice(0, kept))
      await using again = place.start({ model: scriptedModel(), ceiling: fullAccess })
      const client = await again.connect()
      await client.request('conversation/resume', { conversationId })
      await settleTurn(client, await client.watch(conversationId))
      if (place.logLines(conversationId)[kept - 1]?.includes('"hook.ran"')) {
        const { difference } = await client.request('replay/run', { conversation: conversationId })
        expect({ kept, difference }).toEqual({ kept, difference: null })
      }
      for (const { status, hooks } of callsIn(place.logLines(conversationId).slice(1))) {
        found.add(status)
        if (status !== 'interrupted') expect({ kept, hooks }).toEqual({ kept, hooks: ['h1', 'h2', 'h3'] })
      }
    }
    expect([...found].sort()).toEqual(['completed', 'interrupted', 'unknown'])
  })
})
