import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { ParamsOf } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { askedTalk } from '../../engine/support/asked-talk.ts'
import { testPlace } from '../../engine/support/test-server.ts'

const plan = { title: 'Bound the cache', steps: ['Use an LRU map in src/cache.ts', 'Run npm test'], risks: ['Slower'] }
const calls = [{ name: 'propose_plan', args: plan }]
const planMode = { sandbox: 'read-only', approvalPolicy: 'on-request' } as const

type Answer = Omit<ParamsOf<'approval/decide'>, 'conversationId' | 'approvalId'>

/** A turn in plan mode, up to the plan; then the model changes a file and ends. */
async function proposed(params: object = {}, ports: object = {}) {
  const patch = '*** Begin Patch\n*** Add File: made\n+x\n*** End Patch'
  const work = { calls: [{ name: 'apply_patch', args: { patch } }] }
  const model = scriptedModel({ calls }, work, { text: 'done' }, { text: 'more' })
  const talk = await askedTalk(testPlace(), model, (place) =>
    place.talk({ model, ...ports }, { ...planMode, ...params }),
  )
  const answer = ({ decision, answers, note }: Answer) => talk.answer(decision, answers, note)
  const told = () => JSON.parse(String(Object(talk.told()).text))
  return { ...talk, answer, told }
}

function toolsOf(request: { readonly tools: readonly { readonly name: string }[] } | undefined): readonly string[] {
  return request?.tools.map(({ name }) => name) ?? []
}

describe('a plan', () => {
  it('is an approval of its own kind with all of it, and a choice of the modes to work in', async () => {
    await using talk = await proposed()
    expect(talk.approval).toMatchObject({
      kind: 'plan',
      title: 'Plan: Bound the cache',
      detail: '1. Use an LRU map in src/cache.ts\n2. Run npm test\n\nRisks:\n- Slower',
      decisions: ['approved', 'denied', 'abort'],
      form: {
        fields: [{ name: 'mode', type: 'choice', required: true, choices: [{ value: 'ask' }, { value: 'edit' }] }],
      },
    })
  })

  it.each([
    ['ask', 'untrusted'],
    ['edit', 'on-request'],
  ] as const)(
    'that is taken up in mode %s sets it before the call runs, and the model hears of it',
    async (mode, policy) => {
      await using talk = await proposed()
      await talk.client.request(
        'approval/decide',
        talk.answer({ decision: 'approved', answers: { mode }, note: 'no new packages' }),
      )
      // The events come to the client after the engine has gone on.
      await talk.watched.until(
        (_, events) =>
          talk.model.requests[1] !== undefined &&
          events.some(({ event }) => event.type === 'item.completed' && event.item.type === 'toolCall'),
      )
      const types = talk.watched.events.map(({ event }) => event.type)
      const at = types.indexOf('approval.decided')
      expect(types.slice(at, at + 3)).toEqual(['approval.decided', 'conversation.configured', 'execution.started'])
      expect(talk.watched.state.core.settings).toMatchObject({ sandbox: 'workspace-write', approvalPolicy: policy })
      expect(talk.told()).toMatchObject({ outcome: 'accepted', mode, note: 'no new packages' })
      expect(toolsOf(talk.model.requests[0])).toContain('propose_plan')
      expect(toolsOf(talk.model.requests[1])).not.toContain('propose_plan')
      const item = talk.watched.items().find((one) => one.type === 'toolCall')
      expect(item).toMatchObject({ status: 'completed', text: expect.stringMatching(/\n→ work, /) })
    },
  )

  it('is asked about in plan mode only', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls }, { text: 'done' })
    const { watched } = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'toolCall')).toMatchObject({
      status: 'failed',
      modelText: expect.stringContaining('there is no plan mode to leave'),
    })
  })

  it('allows nothing by itself: the first change in mode ask is asked about', async () => {
    await using talk = await proposed()
    await talk.client.request('approval/decide', talk.answer({ decision: 'approved', answers: { mode: 'ask' } }))
    const next = await talk.watched.until(
      ({ core }) =>
        Object.values(core.approvals).find(({ kind, state }) => kind === 'patch' && state === 'pending') ?? null,
    )
    expect(next).toMatchObject({ kind: 'patch' })
  })

  it.each([
    ['a note', 'smaller steps', { outcome: 'keepPlanning', note: 'smaller steps' }],
    ['no note', undefined, { outcome: 'keepPlanning' }],
  ])('that is sent back with %s leaves the mode as it is', async (_, note, told) => {
    await using talk = await proposed()
    await talk.client.request(
      'approval/decide',
      talk.answer({ decision: 'denied', ...(note === undefined ? {} : { note }) }),
    )
    await talk.watched.until(() => talk.model.requests[1] ?? null)
    expect(talk.told()).toMatchObject(told)
    expect(talk.watched.state.core.settings).toMatchObject(planMode)
    expect(toolsOf(talk.model.requests[1])).toContain('propose_plan')
    await talk.client.request('conversation/interrupt', { conversationId: talk.watched.conversationId })
  })

  it.each([
    ['no mode', {}, 'answers.mode'],
    ['a mode that was not offered', { mode: 'plan' }, 'answers.mode'],
    ['a field that is none', { mode: 'edit', sandbox: 'danger-full-access' }, 'answers.sandbox'],
  ])('rejects a yes with %s and stays open', async (_, answers, field) => {
    await using talk = await proposed()
    const refusal = await talk.client.refused('approval/decide', talk.answer({ decision: 'approved', answers }))
    expect(refusal).toMatchObject({ code: 'invalidParams', detail: { field } })
    expect(talk.watched.state.core.approvals[talk.approval.id]).toMatchObject({ state: 'pending' })
    expect(talk.watched.state.core.settings).toMatchObject(planMode)
  })

  it('is not taken up by a client that may not loosen, and stays open', async () => {
    await using talk = await proposed()
    const tightener = await talk.server.connect('tightener', { capabilities: ['approvals'], mayLoosen: false })
    const refusal = await tightener.refused(
      'approval/decide',
      talk.answer({ decision: 'approved', answers: { mode: 'ask' } }),
    )
    expect(refusal).toMatchObject({ code: 'notPermitted' })
    expect(talk.watched.state.core).toMatchObject({
      settings: planMode,
      approvals: { [talk.approval.id]: { state: 'pending' } },
    })
  })

  it('offers no mode above the ceiling, and can then only be sent back', async () => {
    await using talk = await proposed({}, { ceiling: { maxSandbox: 'read-only', allowNever: false, profile: null } })
    expect(talk.approval.decisions).toEqual(['denied', 'abort'])
    expect(talk.approval.form).toBeUndefined()
    const yes = talk.answer({ decision: 'approved', answers: { mode: 'ask' } })
    expect(await talk.client.refused('approval/decide', yes)).toMatchObject({ code: 'invalidParams' })
  })

  it('that was open when its process ended is there again with the same id, and no mode above the new ceiling', async () => {
    await using place = testPlace()
    const { server, watched: before } = await place.talk({ model: scriptedModel({ calls }) }, planMode)
    const { conversationId } = before
    await before.send('go')
    const { id: approvalId } = await before.approval()
    await server.close()
    const narrow = place.start({ ceiling: { maxSandbox: 'read-only', allowNever: false, profile: null } })
    const other = await narrow.connect()
    await other.request('conversation/resume', { conversationId })
    const yes = { conversationId, approvalId, decision: 'approved' as const, answers: { mode: 'edit' } }
    expect(await other.refused('approval/decide', yes)).toMatchObject({ code: 'aboveCeiling' })
    await narrow.close()
    const model = scriptedModel({ text: 'ok' })
    const client = await place.start({ model }).connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    expect(await watched.approval()).toMatchObject({ id: approvalId, kind: 'plan' })
    await client.request('approval/decide', yes)
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[0]?.entries)).toContain('accepted')
    expect(watched.state.core.settings).toMatchObject({ sandbox: 'workspace-write' })
  })

  it('is asked about again where a crash cut the change of the mode off its answer, and a replay of that is the same', async () => {
    const { sandboxes } = fakeSandboxes()
    await using talk = await proposed({}, { sandboxes })
    const { conversationId } = talk.watched
    await talk.client.request('approval/decide', talk.answer({ decision: 'approved', answers: { mode: 'edit' } }))
    await talk.watched.until(({ core }) => core.lastTurn)
    expect((await talk.client.request('replay/run', { conversation: conversationId })).difference).toBeNull()
    await talk.server.close()
    const whole = talk.place.logLines(conversationId)
    talk.place.writeLog(
      conversationId,
      whole.slice(0, whole.findIndex((line) => line.includes('"approval.decided"')) + 1),
    )
    const model = scriptedModel({ text: 'ok' })
    const client = await talk.place.start({ model, sandboxes }).connect()
    await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    await client.request('conversation/continue', { conversationId })
    const again = await watched.approval()
    expect(again).toMatchObject({ kind: 'plan', reason: expect.stringContaining('the mode that the answer chose') })
    expect(watched.state.core.settings).toMatchObject(planMode)
    const yes = { conversationId, approvalId: again.id, decision: 'approved' as const, answers: { mode: 'edit' } }
    await client.request('approval/decide', yes)
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[0]?.entries)).toContain('accepted')
    expect(watched.state.core.settings).toMatchObject({ sandbox: 'workspace-write' })
    expect((await client.request('replay/run', { conversation: conversationId })).difference).toBeNull()
  })
})

it('is offered in plan mode only', async () => {
  await using place = testPlace()
  const model = scriptedModel({ text: 'a' }, { text: 'b' })
  const { client, watched } = await place.talk({ model })
  await watched.send('one')
  await watched.turnEnded()
  const { conversationId } = watched
  await client.request('conversation/configure', { conversationId, settings: planMode })
  await watched.send('two')
  await watched.turnEnded()
  expect(model.requests.map((request) => toolsOf(request).includes('propose_plan'))).toEqual([false, true])
})

it('nobody is asked under the approval policy never, and the mode stays', async () => {
  await using place = testPlace()
  const model = scriptedModel({ calls }, { text: 'ok' })
  const { watched } = await place.talk({ model }, { sandbox: 'read-only', approvalPolicy: 'never' })
  await watched.send('go')
  await watched.turnEnded()
  expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('notAsked')
  expect(watched.state.core.settings).toMatchObject({ sandbox: 'read-only', approvalPolicy: 'never' })
})
