import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { waitUntil } from '@parley/testkit'
import { describe, expect, it, vi } from 'vitest'
import { type HookWorld, hookWorld, keep } from './hook-world.ts'

const runs = (command: string) => [{ name: 'shell', args: { command } }]
const free = { sandbox: 'danger-full-access' } as const
const asking = { ...free, approvalPolicy: 'untrusted' } as const

const eventsSeen = (place: HookWorld) => place.seen().map((one) => Reflect.get(Object(one), 'hook_event_name'))

describe('hooks', () => {
  it('run at each moment of a conversation, in order', async () => {
    await using place = hookWorld()
    for (const on of ['SessionStart', 'SessionEnd', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'] as const)
      place.hook(on, keep)
    const model = scriptedModel({ calls: runs('echo hi') }, { text: 'done' })
    const { watched, server } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    await server.close()
    expect(eventsSeen(place)).toEqual([
      'UserPromptSubmit',
      'SessionStart',
      'PreToolUse',
      'PostToolUse',
      'Stop',
      'SessionEnd',
    ])
    const [prompt, start, , after, stop] = place.seen()
    expect(prompt).toMatchObject({ prompt: 'go' })
    expect(start).toMatchObject({ source: 'startup' })
    expect(after).toMatchObject({ command: 'echo hi', status: 'completed', exit_code: 0, tool_response: /hi/ })
    expect(stop).toMatchObject({ last_assistant_message: 'done', stop_hook_active: false })
  })

  it('that take long are in the state while the turn waits for them, and in the log', async () => {
    await using place = hookWorld()
    const slow = (name: string) => `until [ -e ${name} ]; do sleep 0.02; done`
    place.hook('PreToolUse', slow('one'))
    place.hook('PreToolUse', 'exit 0')
    place.hook('Stop', slow('two'))
    // The turn does not wait for this one.
    place.hook('Notification', slow('three'))
    const { watched } = await place.talk({ model: scriptedModel({ calls: runs('true') }, { text: 'done' }) }, free)
    await watched.send('go')
    const before = await watched.until(({ core }) => core.turn?.hook)
    expect(before).toEqual({
      ...{ name: 'h1', on: 'PreToolUse', source: 'user' },
      itemId: expect.any(String),
      startedAt: expect.any(Number),
    })
    place.write('one', '')
    const end = await watched.until(({ core }) => (core.turn?.hook?.on === 'Stop' ? core.turn.hook : undefined))
    expect(end).not.toHaveProperty('itemId')
    place.write('two', '')
    await watched.turnEnded()
    place.write('three', '')
    expect(watched.events.flatMap(({ event }) => (event.type === 'hook.running' ? [event.hook.name] : []))).toEqual([
      'h1',
      'h3',
    ])
  })

  it('that hold a message up for long are said to the clients, and nothing is stored before it is sent', async () => {
    await using place = hookWorld()
    place.hook('UserPromptSubmit', 'until [ -e one ]; do sleep 0.02; done')
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'done' }) }, free)
    const sent = watched.send('go')
    const { message, conversationId } = await client.notice(({ code }) => code === 'hookRunning')
    expect(message).toBe('A message waits for the hook "h1" (UserPromptSubmit) before it is sent.')
    expect(conversationId).toBe(watched.conversationId)
    expect(watched.state.core.seq).toBe(0)
    place.write('one', '')
    await sent
    await watched.turnEnded()
    expect(watched.events.filter(({ event }) => event.type === 'hook.running')).toEqual([])
  })

  it('tell the model something after a message, a start and a call', async () => {
    await using place = hookWorld()
    place.hook('SessionStart', 'echo the branch is red')
    place.hook('UserPromptSubmit', 'echo ada is on call')
    place.hook('PostToolUse', 'echo "run the formatter" >&2; exit 2')
    const model = scriptedModel({ calls: runs('true') }, { text: 'done' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    const texts = model.requests.map(({ entries }) => entries.map((entry) => JSON.stringify(entry)))
    expect(texts[0]?.slice(-3)).toEqual([
      expect.stringContaining('"go"'),
      expect.stringContaining("A hook of the user's (h2, UserPromptSubmit) says:\\nada is on call"),
      expect.stringContaining('(h1, SessionStart) says:\\nthe branch is red'),
    ])
    expect(texts[1]?.at(-1)).toContain('(h3, PostToolUse) says:\\nrun the formatter')
  })

  it('of a start that is interrupted run again with the next turn', async () => {
    await using place = hookWorld()
    place.hook('SessionStart', 'echo {} >> seen; [ -e go ] || sleep 60; echo the branch is red')
    const model = scriptedModel({ text: 'done' })
    const { watched, client } = await place.talk({ model }, free)
    await watched.send('one')
    await vi.waitUntil(() => place.seen().length > 0, { timeout: 30_000 })
    await client.request('conversation/interrupt', { conversationId: watched.conversationId })
    await watched.turnEnded()
    place.write('go', '')
    for (const text of ['two', 'three']) {
      await watched.send(text)
      await watched.turnEnded()
    }
    expect(place.seen()).toHaveLength(2)
    expect(JSON.stringify(model.requests[0]?.entries)).toContain('the branch is red')
  })

  it('keep a message back whose hook was ended because limits became stricter', async () => {
    await using place = hookWorld()
    place.hook('UserPromptSubmit', 'grep -q slow || exit 0; echo {} >> seen; sleep 60')
    const { watched, client, server } = await place.talk({ model: scriptedModel({ text: 'hello' }) }, free)
    await watched.send('hi')
    await watched.turnEnded()
    const { conversationId } = watched
    const input = [{ type: 'text' as const, text: 'slow' }]
    const sent = client.refused('conversation/sendMessage', { conversationId, input })
    await vi.waitUntil(() => place.seen().length > 0, { timeout: 30_000 })
    const other = await server.connect('other')
    await other.request('conversation/configure', { conversationId, settings: { sandbox: 'read-only' } })
    expect(await sent).toMatchObject({ code: 'messageStopped' })
  })

  it('stop a message, which is neither sent nor stored', async () => {
    await using place = hookWorld()
    place.hook('UserPromptSubmit', 'grep -q sk- && { echo "that looks like a key" >&2; exit 2; }; exit 0')
    const model = scriptedModel({ text: 'hello' }, { text: 'again' })
    const { watched, client } = await place.talk({ model }, free)
    const params = { conversationId: watched.conversationId, input: [{ type: 'text' as const, text: 'use sk-123' }] }
    expect(await client.refused('conversation/sendMessage', params)).toMatchObject({
      code: 'messageStopped',
      message: 'The hook "h1" stopped this message: that looks like a key.',
    })
    expect(watched.events).toEqual([])
    await watched.send('hi')
    await watched.turnEnded()
    await client.refused('conversation/sendMessage', params)
    await watched.until((_, events) =>
      events.some(({ event }) => event.type === 'hook.ran' && event.outcome === 'stopped'),
    )
    expect(JSON.stringify(watched.events)).not.toContain('sk-123')
    expect(model.requests).toHaveLength(1)
  })

  it('that tell the model something are shown with it once', async () => {
    await using place = hookWorld()
    place.hook('PostToolUse', 'echo "run the formatter" >&2; exit 2')
    place.hook('Stop', `[ -e once ] && exit 0; touch once; printf 'one\\ntwo\\n' >&2; exit 2`)
    const model = scriptedModel({ calls: runs('true') }, { text: 'done' }, { text: 'done' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    const notices = watched.items().filter(({ type }) => type === 'notice')
    expect(notices.map(({ title, text }) => [title, text])).toEqual([
      ['The hook "h1" (PostToolUse) told the model: run the formatter', ''],
      ['The hook "h2" (Stop) told the model:', 'one\ntwo'],
    ])
  })

  it('that end a turn after a call say why once', async () => {
    await using place = hookWorld()
    place.hook('PostToolUse', `echo '{"continue": false, "stopReason": "enough"}'`)
    const { watched } = await place.talk({ model: scriptedModel({ calls: runs('true') }) }, free)
    await watched.send('go')
    await watched.turnEnded()
    const notices = watched.items().filter(({ type }) => type === 'notice')
    expect(notices.map(({ title }) => title)).toEqual(['The hook "h1" ended the turn: enough'])
  })

  it('let a turn go on in place of its end, and it is said that one did', async () => {
    await using place = hookWorld()
    place.hook('Stop', `${keep}; [ $(wc -l < seen) -gt 1 ] || { echo "the tests fail" >&2; exit 2; }`)
    const model = scriptedModel({ text: 'done' }, { text: 'done again' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(place.seen()).toMatchObject([{ stop_hook_active: false }, { stop_hook_active: true }])
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('the tests fail')
    expect(watched.state.core.lastTurn?.outcome).toBe('completed')
  })

  it('cannot keep a turn open for ever', async () => {
    await using place = hookWorld()
    place.hook('Stop', 'exit 2')
    const model = scriptedModel(...Array.from({ length: 11 }, () => ({ text: 'done' })))
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(model.requests).toHaveLength(11)
  })

  it('end a turn, whose failure says which did', async () => {
    await using place = hookWorld()
    place.hook('PreToolUse', `echo '{"continue": false, "stopReason": "not on Fridays"}'`)
    const { watched } = await place.talk({ model: scriptedModel({ calls: runs('echo x > out') }) }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn).toMatchObject({
      outcome: 'failed',
      failure: { code: 'stoppedByHook', message: 'The hook "h1" ended the turn: not on Fridays' },
    })
    expect(() => place.read('out')).toThrow()
  })

  it('that must run and fail end the turn at the start', async () => {
    await using place = hookWorld()
    place.hook('SessionStart', 'exit 7', 'required = true')
    const model = scriptedModel({ text: 'never' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.state.core.lastTurn?.failure?.message).toContain('it is required, and it ended with exit 7')
    expect(model.requests).toEqual([])
  })

  it('are told of questions and answers, and can deny', async () => {
    await using place = hookWorld()
    place.hook('PermissionRequest', 'grep -q deploy && { echo "not from here" >&2; exit 2; }; exit 0')
    place.hook('PermissionDecision', keep)
    place.hook('Notification', keep)
    const model = scriptedModel({ calls: runs('make deploy') }, { text: 'ok' })
    const { watched } = await place.talk({ model }, asking)
    await watched.send('go')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain(
      'Not run: the hook \\"h1\\" denies this: not from here',
    )
    await waitUntil(() => place.seen().length === 3, { what: 'three hooks' })
    expect(place.seen()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ notification_type: 'permission_prompt', title: 'make deploy' }),
        expect.objectContaining({ decision: 'denied', by: 'hook h1', command: 'make deploy' }),
        expect.objectContaining({ notification_type: 'turn_end', message: 'ok' }),
      ]),
    )
  })

  it('of the session end are ended with the server where they hang', async () => {
    await using place = hookWorld()
    place.hook('SessionEnd', 'sleep 300')
    const { watched, server } = await place.talk({ model: scriptedModel({ text: 'hi' }) }, free)
    await watched.send('go')
    await watched.turnEnded()
    await server.close()
    expect(place.logLines(watched.conversationId).at(-1)).toContain('"outcome":"interrupted"')
  })

  it('before a compaction stop one that a user asked for', async () => {
    await using place = hookWorld()
    place.hook('PreCompact', 'echo "keep it all" >&2; exit 2')
    const { watched, client } = await place.talk({ model: scriptedModel({ text: 'hi' }) }, free)
    await watched.send('go')
    await watched.turnEnded()
    await client.request('conversation/compact', { conversationId: watched.conversationId })
    await watched.turnEnded()
    expect(watched.items().at(-1)).toMatchObject({
      type: 'contextCompaction',
      status: 'failed',
      title: 'Not compacted: the hook "h1" stopped it: keep it all',
    })
  })
})
