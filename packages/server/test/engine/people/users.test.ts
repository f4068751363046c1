import { readFileSync, statSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expect, it } from 'vitest'
import { startTeam, writeUsersFile } from '../support/team.ts'

it('an admin manages users, and reads nothing of theirs', async () => {
  await using team = await startTeam(['admin:root', 'ada'])
  const [root, ada] = [await team.as('root'), await team.as('ada')]
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd })
  expect(await root.refused('conversation/stream', { conversationId })).toMatchObject({ code: 'conversationNotFound' })
  const { token } = await root.request('user/add', { user: 'bo', maxSandbox: 'read-only' })
  await team.as(token)
  expect((await root.request('user/list', {})).users).toEqual([
    { user: 'root', role: 'admin' },
    { user: 'ada', role: 'member' },
    { user: 'bo', role: 'member', maxSandbox: 'read-only' },
  ])
  for (const refusal of [
    ada.refused('user/list', {}),
    ada.refused('user/add', { user: 'eve', role: 'admin' }),
    ada.refused('user/token', { user: 'root' }),
    ada.refused('user/remove', { user: 'root' }),
  ])
    expect(await refusal).toMatchObject({ code: 'notPermitted' })
  expect(readFileSync(team.users.file, 'utf8')).not.toContain(token)
  expect(statSync(team.users.file).mode & 0o777).toBe(0o600)
})

it('a removed user is out at once, and the name is not given to somebody else unasked', async () => {
  await using team = await startTeam(['admin:root', 'ada'])
  const [root, ada] = [await team.as('root'), await team.as('ada')]
  await root.request('user/remove', { user: 'ada' })
  await ada.peer.closed
  await expect(team.as('ada')).rejects.toThrow('not let in')
  expect(await root.refused('user/add', { user: 'ada' })).toMatchObject({ code: 'invalidParams' })
  const { token } = await root.request('user/add', { user: 'ada', again: true })
  await team.as(token)
})

it('a new token ends what the earlier one let in', async () => {
  await using team = await startTeam(['admin:root', 'ada'])
  const [root, ada] = [await team.as('root'), await team.as('ada')]
  const { token } = await root.request('user/token', { user: 'ada' })
  await ada.peer.closed
  await expect(team.as('ada')).rejects.toThrow('not let in')
  await team.as(token)
})

it('a file that is changed by hand counts with the next request', async () => {
  await using team = await startTeam(['ada', 'bo'])
  const ada = await team.as('ada')
  const kept = readFileSync(team.users.file, 'utf8').replace(/^bo .*$/m, 'bo removed')
  writeUsersFile(team, kept.replace('ada member', 'ada admin'))
  expect((await ada.request('user/list', {})).users).toEqual([
    { user: 'ada', role: 'admin' },
    { user: 'bo', role: 'member', removed: true },
  ])
  await expect(team.as('bo')).rejects.toThrow('not let in')
})

it('a file with a fault changes nothing, and the server says its line', async () => {
  await using team = await startTeam(['admin:root', 'ada'])
  const root = await team.as('root')
  const good = readFileSync(team.users.file, 'utf8')
  writeUsersFile(team, `${good}bo superuser\n`)
  await team.as('ada')
  expect(await root.refused('user/list', {})).toMatchObject({ code: 'configInvalid' })
  expect(team.said).toEqual([
    `The users file ${team.users.file}, line 4: after the name comes admin, member or removed, not "superuser". The users it had before count on until it can be read.`,
  ])
  writeUsersFile(team, good)
  expect((await root.request('user/list', {})).users).toHaveLength(2)
})

it('a user with a ceiling begins within it, and neither sets more nor works with more', async () => {
  await using team = await startTeam(['admin:root', 'ada'])
  const [root, ada] = [await team.as('root'), await team.as('ada')]
  const { token } = await root.request('user/add', { user: 'bo', maxSandbox: 'read-only' })
  const bo = await team.as(token)
  const { cwd } = team.place
  const { conversationId: own, settings } = await bo.request('conversation/create', { cwd })
  expect(settings.sandbox).toBe('read-only')
  for (const refusal of [
    bo.refused('conversation/create', { cwd, sandbox: 'workspace-write' }),
    bo.refused('conversation/create', { cwd, config: { sandbox_mode: 'workspace-write' } }),
    bo.refused('conversation/configure', { conversationId: own, settings: { sandbox: 'workspace-write' } }),
  ])
    expect(await refusal).toMatchObject({ code: 'aboveCeiling' })
  const { conversationId } = await ada.request('conversation/create', { cwd, sandbox: 'workspace-write' })
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'editor' })
  await bo.request('conversation/resume', { conversationId })
  const send = { conversationId, input: [{ type: 'text' as const, text: 'hi' }] }
  expect(await bo.refused('conversation/sendMessage', send)).toMatchObject({ code: 'aboveCeiling' })
  expect(await bo.refused('conversation/compact', { conversationId })).toMatchObject({ code: 'aboveCeiling' })
  await bo.request('conversation/configure', { conversationId, settings: { sandbox: 'read-only' } })
  await bo.request('conversation/sendMessage', send)
  const overrides = { config: { sandbox_mode: 'workspace-write' } }
  expect(await bo.refused('conversation/resume', { conversationId, overrides })).toMatchObject({ code: 'aboveCeiling' })
})

it('a user with a ceiling does not choose more with the yes to a plan', async () => {
  const planMode = { sandbox: 'read-only', approvalPolicy: 'on-request' } as const
  const calls = [{ name: 'propose_plan', args: { title: 'Write it', steps: ['write'], risks: [] } }]
  await using team = await startTeam(['admin:root', 'ada'], { model: scriptedModel({ calls }, { text: 'ok' }) })
  const [root, ada] = [await team.as('root'), await team.as('ada')]
  const bo = await team.as((await root.request('user/add', { user: 'bo', maxSandbox: 'read-only' })).token)
  const { conversationId } = await ada.request('conversation/create', { cwd: team.place.cwd, ...planMode })
  await ada.request('conversation/share', { conversationId, user: 'bo', role: 'editor' })
  await bo.request('conversation/resume', { conversationId })
  const watched = await bo.watch(conversationId)
  await watched.send('plan it')
  const { id: approvalId } = await watched.approval()
  const yes = { conversationId, approvalId, decision: 'approved' as const, answers: { mode: 'edit' } }
  expect(await bo.refused('approval/decide', yes)).toMatchObject({ code: 'aboveCeiling' })
  await ada.request('conversation/resume', { conversationId })
  await ada.request('approval/decide', yes)
  await watched.turnEnded()
})

it('who manages users is in the log of the server', async () => {
  const logged: object[] = []
  await using team = await startTeam(['admin:root'], { logEvent: (entry) => logged.push(entry) })
  const [root, operator] = [await team.as('root'), await team.operator()]
  await root.request('user/add', { user: 'bo' })
  await root.request('user/token', { user: 'bo' })
  await root.refused('user/token', { user: 'cy' })
  await operator.request('user/remove', { user: 'bo' })
  expect(logged.filter((entry) => 'change' in entry)).toEqual([
    { event: 'user.changed', user: 'bo', change: 'added', by: 'root' },
    { event: 'user.changed', user: 'bo', change: 'token', by: 'root' },
    { event: 'user.changed', user: 'bo', change: 'removed', as: 'operator' },
  ])
})
