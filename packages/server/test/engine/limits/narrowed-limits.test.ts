import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const background = (command: string) => ({ name: 'shell', args: { command, background: true } })

async function talkWithBackground(place: ReturnType<typeof testPlace>, more: object = {}) {
  const model = scriptedModel({ calls: [background('exec sleep 600')] }, { text: 'ok' })
  const talk = await place.talk({ model, sandboxes: fakeSandboxes().sandboxes }, more)
  await talk.watched.send('go')
  await talk.watched.turnEnded()
  const { conversationId } = talk.watched
  const running = async () =>
    (await talk.client.request('server/diagnostics', {})).conversations[0]?.backgroundProcesses
  expect(await running()).toBe(1)
  const notice = () => talk.watched.items().find((item) => item.type === 'notice' && item.code === 'backgroundStopped')
  return { ...talk, conversationId, running, notice }
}

describe('a background command', () => {
  it.each(['read-only', 'workspace-write'] as const)(
    'that may do more than the new mode is stopped, which is said (from full access to %s)',
    async (sandbox) => {
      await using place = testPlace()
      const { client, conversationId, running, notice } = await talkWithBackground(place, {
        sandbox: 'danger-full-access',
      })
      await client.request('conversation/configure', { conversationId, settings: { sandbox } })
      await expect.poll(running, { timeout: 30_000 }).toBe(0)
      expect(notice()).toMatchObject({
        level: 'warning',
        title: expect.stringMatching(
          `^A background command started with more rights than now \\(${sandbox}\\) is stopped: exec sleep 600`,
        ),
      })
    },
  )

  it('of a mode that may write is stopped by read-only, also when a resume says so', async () => {
    await using place = testPlace()
    const { client, conversationId, running, notice } = await talkWithBackground(place)
    await client.request('conversation/resume', { conversationId, overrides: { sandbox: 'read-only' } })
    await expect.poll(running, { timeout: 30_000 }).toBe(0)
    expect(notice()).toBeDefined()
  })

  it('goes on when the mode stays, or gets wider', async () => {
    await using place = testPlace()
    const { client, conversationId, running, notice } = await talkWithBackground(place, { sandbox: 'read-only' })
    for (const sandbox of ['read-only', 'workspace-write'] as const)
      await client.request('conversation/configure', { conversationId, settings: { sandbox } })
    await client.request('conversation/configure', { conversationId, settings: { approvalPolicy: 'untrusted' } })
    expect(await running()).toBe(1)
    expect(notice()).toBeUndefined()
  })

  it('that was started in read-only goes on when the mode goes back to it', async () => {
    await using place = testPlace()
    const { client, conversationId, running } = await talkWithBackground(place, { sandbox: 'read-only' })
    for (const sandbox of ['workspace-write', 'read-only'] as const)
      await client.request('conversation/configure', { conversationId, settings: { sandbox } })
    expect(await running()).toBe(1)
  })
})

describe('a command that a turn waits for', () => {
  async function talkWithCommand(place: ReturnType<typeof testPlace>, more: object = {}) {
    const call = { name: 'shell', args: { command: 'echo on; exec sleep 600' } }
    const model = scriptedModel({ calls: [call] }, { text: 'ok' })
    const talk = await place.talk({ model, sandboxes: fakeSandboxes().sandboxes }, more)
    await talk.watched.send('go')
    const { conversationId } = talk.watched
    await talk.watched.until(({ core }) => Object.values(core.open).find(({ output }) => output === 'on\n'))
    const item = () => talk.watched.items().find(({ type }) => type === 'commandExecution')
    return { ...talk, conversationId, item }
  }

  it.each([
    ['workspace-write', 'read-only'],
    ['danger-full-access', 'workspace-write'],
  ] as const)('that may do more than the new mode is stopped, and its outcome says why (%s, %s)', async (from, to) => {
    await using place = testPlace()
    const { client, conversationId, watched, item } = await talkWithCommand(place, { sandbox: from })
    await client.request('conversation/configure', { conversationId, settings: { sandbox: to } })
    await watched.turnEnded()
    expect(item()).toMatchObject({
      status: 'interrupted',
      failure: { code: 'limitsNarrowed' },
      modelText: expect.stringMatching(/^stopped: the limits became narrower .*\non\n/),
    })
    expect(watched.items().at(-1)).toMatchObject({ type: 'agentMessage', text: 'ok' })
  })

  it('goes on when the mode gets wider, or narrower than it was and no narrower than its own', async () => {
    await using place = testPlace()
    const { client, conversationId, watched, item } = await talkWithCommand(place, { sandbox: 'read-only' })
    for (const sandbox of ['workspace-write', 'read-only'] as const)
      await client.request('conversation/configure', { conversationId, settings: { sandbox } })
    await client.request('conversation/interrupt', { conversationId })
    await watched.turnEnded()
    expect(item()).toMatchObject({
      status: 'interrupted',
      modelText: expect.stringContaining('interrupted by the user'),
    })
    expect(item()).not.toHaveProperty('failure')
  })
})
