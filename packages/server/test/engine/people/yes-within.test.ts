import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { openSandboxes, type Sandboxes } from '@parley/host'
import type { Approval, ApprovalPolicy, SandboxMode } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { startTeam, writeUsersFile } from '../support/team.ts'

interface Asked {
  readonly call: { readonly name: string; readonly args: object }
  /** Narrowest mode that lets as much happen as a yes. */
  readonly reaches: SandboxMode
  readonly sandbox?: SandboxMode
  readonly approvalPolicy?: ApprovalPolicy
  readonly sandboxes?: Sandboxes
}

const add = (path: string) => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`
const shell = (command: string, more: object = {}) => ({ name: 'shell', args: { command, ...more } })

/** Each thing that a yes can give, asked about in a conversation that the user may use. */
const questions: Readonly<Record<string, Asked>> = {
  'a command outside the sandbox': {
    call: shell('touch made', { escalate: true, reason: 'x' }),
    reaches: 'danger-full-access',
  },
  'a command with the network': {
    call: shell('touch made', { network: true, reason: 'x' }),
    reaches: 'workspace-write',
  },
  'a patch in read-only mode': {
    call: { name: 'apply_patch', args: { patch: add('made') } },
    reaches: 'workspace-write',
  },
  'a patch of a file that starts programs': {
    call: { name: 'apply_patch', args: { patch: add('.envrc') } },
    reaches: 'danger-full-access',
  },
  'a command in the sandbox of its mode': {
    call: shell('touch made'),
    approvalPolicy: 'untrusted',
    reaches: 'read-only',
  },
}

const cases = Object.entries(questions).flatMap(([name, asked]) =>
  (['read-only', 'workspace-write', 'danger-full-access'] as const).map((most) => [name, most, asked] as const),
)

const rank = (mode: SandboxMode) => ['read-only', 'workspace-write', 'danger-full-access'].indexOf(mode)

/** A team whose user lim may use so much, and a question that waits in a conversation of lim or of another one. */
async function asking(asked: Asked, most: SandboxMode, isOwn: boolean) {
  const { call, approvalPolicy = 'on-request', sandbox = 'read-only' } = asked
  const { sandboxes = fakeSandboxes().sandboxes } = asked
  await using stack = new AsyncDisposableStack()
  const model = scriptedModel({ calls: [call] }, { text: 'ok' })
  const team = stack.use(await startTeam(['admin:root'], { model, sandboxes, shell: '/bin/sh' }))
  const root = await team.as('root')
  const lim = await team.as((await root.request('user/add', { user: 'lim', maxSandbox: most })).token)
  const owner = isOwn ? lim : root
  const { cwd } = team.place
  const { conversationId } = await owner.request('conversation/create', { cwd, sandbox, approvalPolicy })
  const [user, role] = isOwn ? (['root', 'owner'] as const) : (['lim', 'approver'] as const)
  await owner.request('conversation/share', { conversationId, user, role })
  for (const client of [lim, root]) await client.request('conversation/resume', { conversationId })
  const watched = await owner.watch(conversationId)
  await watched.send('go')
  const approval = await watched.approval()
  const disposal = stack.move()
  return {
    ...{ root, lim, watched, conversationId, approval, cwd },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

describe('a yes', () => {
  it.each(cases)('to %s is given by a user of %s only where that reaches so far', async (_name, most, asked) => {
    for (const isOwn of [true, false]) {
      await using at = await asking(asked, most, isOwn)
      const { lim, approval, conversationId, watched } = at
      expect(approval.reaches).toBe(asked.reaches)
      const answer = { conversationId, approvalId: approval.id }
      const isAbove = rank(asked.reaches) > rank(most)
      if (isAbove)
        for (const decision of approval.decisions.filter((one) => one.startsWith('approved')))
          expect(await lim.refused('approval/decide', { ...answer, decision })).toMatchObject({
            code: 'aboveCeiling',
            message: expect.stringContaining(`You may use ${most} at most on this server, and a yes here gives`),
          })
      expect(watched.state.core.approvals[approval.id]?.state).toBe('pending')
      await lim.request('approval/decide', { ...answer, decision: isAbove ? 'denied' : 'approved' })
      await watched.turnEnded()
      expect(existsSync(join(at.cwd, 'made')) || existsSync(join(at.cwd, '.envrc'))).toBe(!isAbove)
    }
  })

  it('in a conversation that may do more than its user is refused, and a no is theirs', async () => {
    const asked = questions['a command in the sandbox of its mode']
    if (asked === undefined) throw new Error('there is no such question')
    await using at = await asking({ ...asked, sandbox: 'workspace-write' }, 'read-only', false)
    const { lim, watched, conversationId, approval } = at
    const answer = { conversationId, approvalId: approval.id }
    expect(await lim.refused('approval/decide', { ...answer, decision: 'approved' })).toMatchObject({
      code: 'aboveCeiling',
    })
    await lim.request('approval/decide', { ...answer, decision: 'denied' })
    await watched.turnEnded()
    expect(existsSync(join(at.cwd, 'made'))).toBe(false)
  })

  it('of somebody who may use as much is taken after one that was refused', async () => {
    const asked = questions['a command outside the sandbox']
    if (asked === undefined) throw new Error('there is no such question')
    await using at = await asking(asked, 'read-only', true)
    const { root, lim, watched, conversationId, approval } = at
    const yes = { conversationId, approvalId: approval.id, decision: 'approved' } as const
    expect(await lim.refused('approval/decide', yes)).toMatchObject({ code: 'aboveCeiling' })
    await root.request('approval/decide', yes)
    await watched.turnEnded()
    expect(existsSync(join(at.cwd, 'made'))).toBe(true)
  })
})

const real = openSandboxes({ cacheFile: null })
const { enforcement } = await real.report()

describe.skipIf(enforcement !== 'full')('a yes to put back what was moved aside', () => {
  const command = 'git init -q sub && git -C sub config core.fsmonitor evil'
  const asked: Asked = {
    call: shell(command),
    sandboxes: real,
    sandbox: 'workspace-write',
    reaches: 'danger-full-access',
  }

  it.each([
    ['an approver', 'read-only', false],
    ['an approver', 'workspace-write', false],
    ['an owner', 'workspace-write', true],
    ['an approver', 'danger-full-access', false],
    ['an owner', 'danger-full-access', true],
  ] as const)('is given by %s of %s only where a patch of it could be', async (_who, most, isOwn) => {
    await using at = await asking(asked, most, isOwn)
    const { lim, approval, conversationId, watched, cwd } = at
    expect(approval).toMatchObject({ kind: 'elicitation', reaches: 'danger-full-access' })
    const yes = { conversationId, approvalId: approval.id, decision: 'approved' } as const
    const isAbove = most !== 'danger-full-access'
    if (isAbove) expect(await lim.refused('approval/decide', yes)).toMatchObject({ code: 'aboveCeiling' })
    await lim.request('approval/decide', isAbove ? { ...yes, decision: 'denied' } : yes)
    await watched.turnEnded()
    expect(existsSync(join(cwd, 'sub/.git/config'))).toBe(!isAbove)
  })
})

it('a question is offered to a user by the library without a yes that reaches too far, and says why', async () => {
  const calls = [shell('touch made', { escalate: true, reason: 'x' })]
  const { sandboxes } = fakeSandboxes()
  await using team = await startTeam(['ada'], { model: scriptedModel({ calls }, { text: 'ok' }), sandboxes })
  writeUsersFile(team, readFileSync(team.users.file, 'utf8').replace(/^(ada .*)$/m, '$1 max-sandbox=read-only'))
  await using ada = await team.libraryOf('ada')
  const conversation = await ada.create({ cwd: team.place.cwd })
  const asked: Approval[] = []
  using _answering = conversation.onApproval((approval) => {
    asked.push(approval)
    return 'denied'
  })
  await (await conversation.send('go')).result
  expect(asked).toMatchObject([{ decisions: ['denied', 'abort'] }])
  expect(asked[0]?.reason).toMatch(/; you may use read-only at most, and a yes gives danger-full-access$/)
  expect(existsSync(join(team.place.cwd, 'made'))).toBe(false)
})

it('a user who only reads files changes none by a line to remember or by going back', async () => {
  await using team = await startTeam(['admin:root'])
  const root = await team.as('root')
  const lim = await team.as((await root.request('user/add', { user: 'lim', maxSandbox: 'read-only' })).token)
  const { cwd } = team.place
  writeFileSync(join(cwd, 'AGENTS.md'), 'as it is\n')
  const { conversationId } = await lim.request('conversation/create', { cwd })
  const line = { conversationId, text: 'use pnpm', where: 'project', hash: 'x' } as const
  expect(await lim.refused('conversation/remember', line)).toMatchObject({ code: 'aboveCeiling' })
  const back = { conversationId, to: 1, hash: 'x' }
  expect(await lim.refused('conversation/rewind', back)).toMatchObject({ code: 'aboveCeiling' })
})

it('a user types into no process that may do more than the user, whatever others allowed it', async () => {
  const command = 'while read -r l; do echo "$l" >> typed; done'
  const call = shell(command, { background: true, escalate: true, reason: 'x' })
  await using at = await asking({ call, reaches: 'danger-full-access' }, 'read-only', true)
  const { root, lim, watched, conversationId, approval, cwd } = at
  await root.request('approval/decide', { conversationId, approvalId: approval.id, decision: 'approved' })
  await watched.turnEnded()
  const [itemId = ''] = Object.keys(watched.state.core.background ?? {})
  const typed = { conversationId, itemId, text: 'hello' }
  expect(await lim.refused('conversation/process/write', typed)).toMatchObject({ code: 'aboveCeiling' })
  expect(existsSync(join(cwd, 'typed'))).toBe(false)
})
