import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { settleTurn } from '@parley/engine/test/support/settle-turn.ts'
import type { ConversationEvent, EventOf } from '@parley/protocol'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it } from 'vitest'
import { passedOnStore } from '../../environments/support/passed-on-store.ts'
import { fullAccess } from '../support/test-server.ts'
import { type HookWorld, hookWorld } from './hook-world.ts'

const asking = { sandbox: 'danger-full-access', approvalPolicy: 'untrusted' } as const

function eventsIn(lines: readonly string[]): readonly ConversationEvent[] {
  return lines.slice(1).map((line): ConversationEvent => JSON.parse(line).event)
}

const runsOf = (events: readonly ConversationEvent[], on: string): readonly EventOf<'hook.ran'>[] =>
  events.flatMap((event) => (event.type === 'hook.ran' && event.hook.on === on ? [event] : []))

const callsIn = (events: readonly ConversationEvent[]) =>
  events.flatMap((event) =>
    event.type === 'item.completed' && event.item.type === 'commandExecution' ? [event.item] : [],
  )

/** Hook that leaves a line in `ran`, by which it is told how often it ran. */
const counting = (name: string) => `echo ${name} >> ran`

/** Records a turn with a call that is asked about, and a hook of each moment. Resolves to the lines of its log. */
async function recorded(place: HookWorld) {
  place.hook('SessionStart', `grep -q '"source":"startup"' && ${counting('startup')}; exit 0`, 'required = true')
  for (const on of ['PreToolUse', 'PermissionRequest', 'PermissionDecision', 'Stop'] as const)
    place.hook(on, counting(on), 'required = true')
  place.hook('PostToolUse', counting('format'))
  place.hook('PostToolUse', counting('lint'), 'required = true')
  const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'touch made' } }] }, { text: 'ok' })
  const { watched, server } = await place.talk({ model }, asking)
  await watched.send('go')
  await watched.approval()
  await watched.until((_, events) => events.some(({ event }) => event.type === 'hook.ran' && event.hook.name === 'h3'))
  await watched.decide('approved')
  await watched.turnEnded()
  await server.close()
  return { conversationId: watched.conversationId, whole: place.logLines(watched.conversationId) }
}

describe('a log that is cut anywhere in a turn with hooks', () => {
  it('has the turn go on at the next server with each required hook run, and what was cut off said', async () => {
    await using place = hookWorld()
    const { conversationId, whole } = await recorded(place)
    const from = whole.findIndex((line) => line.includes('"turn.started"'))
    const to = whole.findIndex((line) => line.includes('"turn.ended"'))
    const said = new Set<string>()
    for (let kept = from + 2; kept <= to; kept++) {
      const cut = eventsIn(whole.slice(0, kept))
      place.writeLog(conversationId, whole.slice(0, kept))
      place.write('ran', '')
      const model = scriptedModel({ text: 'ok' }, { text: 'ok' })
      await using next = place.start({ store: passedOnStore(), model, ceiling: fullAccess })
      const client = await next.connect()
      await client.request('conversation/resume', { conversationId })
      await settleTurn(client, await client.watch(conversationId))
      // The question does not wait for its hooks, nor does the turn.
      const now = () => eventsIn(place.logLines(conversationId))
      const isAsked = callsIn(now()).some(({ status }) => status !== 'unknown')
      const hasAsked = () => !isAsked || runsOf(now(), 'PermissionRequest').some(({ outcome }) => outcome === 'passed')
      await waitUntil(hasAsked, { what: 'the hook about the question' })
      // A call that ran as its server ended is not replayed past its start.
      const isOpen = cut.some(({ type }) => type === 'execution.started') && callsIn(cut).length === 0
      if (!isOpen && whole[kept - 1]?.includes('"hook')) {
        const { difference } = await client.request('replay/run', { conversation: conversationId })
        expect({ kept, difference }).toEqual({ kept, difference: null })
      }
      const events = now()
      const added = events.slice(cut.length)
      const recoveredText = added.flatMap((event) => (event.type === 'conversation.recovered' ? [event.text] : []))[0]
      const ranTo = (on: string) => runsOf(events, on).filter(({ outcome }) => outcome === 'passed').length
      expect({ kept, start: ranTo('SessionStart') > 0, stop: ranTo('Stop') > 0 }).toEqual({
        kept,
        start: true,
        stop: true,
      })
      for (const { id, status } of callsIn(events)) {
        const ended = (name: string) =>
          runsOf(events, 'PostToolUse').filter((run) => run.itemId === id && run.hook.name === name)
        if (status === 'unknown') continue
        expect({ kept, guarded: ranTo('PreToolUse') > 0 }).toEqual({ kept, guarded: true })
        expect({ kept, format: ended('h6').length }).toEqual({ kept, format: 1 })
        expect({ kept, lint: ended('h7').map(({ outcome }) => outcome) }).toEqual({ kept, lint: ['passed'] })
      }
      expect({ kept, ran: ranAgain(place) }).toEqual({ kept, ran: expectedAgain(cut) })
      for (const moment of cutOff(cut)) {
        said.add(moment)
        expect({ kept, text: recoveredText }).toEqual({ kept, text: expect.stringContaining(moment) })
      }
    }
    expect([...said].sort()).toEqual([
      '(PermissionDecision)',
      '(PermissionRequest)',
      '(PostToolUse)',
      '(PreToolUse)',
      '(SessionStart)',
      '(Stop)',
    ])
  })

  it('has a question denied whose hook had said no, and nobody else had answered', async () => {
    await using place = hookWorld()
    place.hook('PermissionRequest', 'echo "not from here" >&2; exit 2')
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'touch made' } }] }, { text: 'ok' })
    const { watched, server } = await place.talk({ model }, asking)
    await watched.send('go')
    await watched.turnEnded()
    await server.close()
    const { conversationId } = watched
    const whole = place.logLines(conversationId)
    const ran = whole.findIndex((line) => line.includes('"hook.ran"'))
    for (const kept of [ran - 1, ran, ran + 1]) {
      place.writeLog(conversationId, whole.slice(0, kept))
      await using next = place.start({ model: scriptedModel({ text: 'ok' }), ceiling: fullAccess })
      const client = await next.connect()
      await client.request('conversation/resume', { conversationId })
      const resumed = await client.watch(conversationId)
      await resumed.until(({ core }) => core.turn === null)
      expect(callsIn(eventsIn(place.logLines(conversationId)))).toMatchObject([{ status: 'denied' }])
    }
  })
})

/** Hooks of the session's begin and after calls that the next server ran. */
function ranAgain(place: HookWorld): readonly string[] {
  const names = new Set(place.read('ran').split('\n'))
  return ['startup', 'format', 'lint'].filter((name) => names.has(name))
}

/** Those that it has to run: what began after a call does not run twice unless it is required. */
function expectedAgain(cut: readonly ConversationEvent[]): readonly string[] {
  const startup = runsOf(cut, 'SessionStart').length === 0 ? ['startup'] : []
  const isAfter = cut.some((event) => event.type === 'hooks.started' && event.on === 'PostToolUse')
  if (isAfter) return runsOf(cut, 'PostToolUse').length < 2 ? ['lint'] : []
  const runsThere =
    cut.every(({ type }) => type !== 'execution.started') && cut.some(({ type }) => type === 'model.responded')
  return runsThere ? [...startup, 'format', 'lint'] : startup
}

/** Moments of a log whose hooks have begun and not ended. */
function cutOff(events: readonly ConversationEvent[]): readonly string[] {
  const open = new Map<string, number>()
  for (const event of events) {
    if (event.type === 'hooks.started') open.set(event.on, event.hooks.length)
    if (event.type === 'hook.ran') open.set(event.hook.on, (open.get(event.hook.on) ?? 0) - 1)
  }
  return [...open].flatMap(([on, left]) => (left > 0 ? [`(${on})`] : []))
}
