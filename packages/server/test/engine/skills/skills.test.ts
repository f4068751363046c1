import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

function write(place: TestPlace, path: string, text: string): void {
  const file = join(place.root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const skill = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Ships the ${name}.\n${more}---\nShip it with scripts/ship.sh.\n`

const free = { sandbox: 'danger-full-access' } as const

describe('a skill', () => {
  it('is listed in the instructions, and its text and files are read on demand', async () => {
    await using place = testPlace()
    write(place, '.claude/skills/deploy/SKILL.md', skill('deploy'))
    write(place, '.claude/skills/deploy/notes.md', 'the notes')
    const model = scriptedModel(
      { calls: [{ name: 'use_skill', args: { skill: 'deploy' } }] },
      { calls: [{ name: 'use_skill', args: { skill: 'deploy', file: 'notes.md' } }] },
      { text: 'Done.' },
    )
    const { watched } = await place.talk({ model })
    await watched.send('ship it')
    await watched.turnEnded()
    expect(model.requests[0]?.instructions).toContain('- deploy: Ships the deploy.')
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain('use_skill')
    expect(watched.state.core.context?.skills).toEqual([
      { name: 'deploy', path: join(place.root, '.claude/skills/deploy/SKILL.md') },
    ])
    const results = model.requests.map(({ entries }) => JSON.stringify(entries.at(-1)))
    expect(results[1]).toContain('Ship it with scripts/ship.sh.')
    expect(results[1]).toContain('Files beside it, which use_skill reads with `file`: notes.md.')
    expect(results[2]).toContain('the notes')
  })

  it('costs nothing where there is none', async () => {
    await using place = testPlace()
    const model = scriptedModel({ text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('hello')
    await watched.turnEnded()
    expect(model.requests[0]?.instructions).not.toContain('Skills')
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain('use_skill')
    expect(watched.state.core.context).not.toHaveProperty('skills')
  })

  it('of a project has no effect before it is trusted, and none after it has changed', async () => {
    await using place = testPlace()
    write(place, 'work/.agents/skills/deploy/SKILL.md', skill('deploy'))
    const ask = { calls: [{ name: 'use_skill', args: { skill: 'deploy' } }] }
    const model = scriptedModel({ text: 'none' }, { text: 'one' }, ask, { text: 'Done.' })
    const { client, summary, watched } = await place.talk({ model })
    expect(summary.warnings.join()).toContain('This project brings 1 skill.')
    await watched.send('one')
    await watched.turnEnded()
    expect(model.requests[0]?.instructions).not.toContain('deploy')
    const { hash } = await client.request('trust/read', { cwd: place.cwd })
    await client.request('trust/decide', { cwd: place.cwd, hash: hash ?? '', verdict: 'trusted' })
    await watched.send('two')
    await watched.turnEnded()
    expect(model.requests[1]?.instructions).toContain('- deploy: Ships the deploy.')
    write(place, 'work/.agents/skills/deploy/SKILL.md', skill('deploy', 'license: none\n'))
    await watched.send('three')
    await watched.turnEnded()
    expect(model.requests[2]?.instructions).not.toContain('deploy')
    expect(JSON.stringify(model.requests[3]?.entries.at(-1))).toContain('it is new or has changed since you trusted')
  })

  it('that the user names is read before the model is asked', async () => {
    await using place = testPlace()
    write(place, '.parley/skills/deploy/SKILL.md', skill('deploy', 'disable-model-invocation: true\n'))
    const model = scriptedModel({ text: 'ok' }, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('please $deploy it for $HOME')
    await watched.turnEnded()
    expect(model.requests[0]?.instructions).not.toContain('- deploy')
    const [, message, called, result] = model.requests[0]?.entries ?? []
    expect(message).toMatchObject({ kind: 'user', content: [{ text: 'please $deploy it for $HOME' }] })
    expect(called).toMatchObject({ kind: 'response', calls: [{ name: 'use_skill' }] })
    expect(JSON.stringify(result)).toContain('Ship it with')
    await watched.send('/deploy now')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('Ship it with')
  })

  it('that only people start is not read by the model before one has started it', async () => {
    await using place = testPlace()
    write(place, '.parley/skills/deploy/SKILL.md', skill('deploy', 'disable-model-invocation: true\n'))
    write(place, '.parley/skills/other/SKILL.md', skill('other'))
    const ask = { calls: [{ name: 'use_skill', args: { skill: 'deploy' } }] }
    const model = scriptedModel(ask, { text: 'ok' }, ask, { text: 'ok' })
    const { watched } = await place.talk({ model })
    await watched.send('ship it')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[1]?.entries.at(-1))).toContain('started by people only')
    await watched.send('$deploy')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[3]?.entries.at(-1))).toContain('Ship it with')
  })

  it('that names tools has the effects of others asked about until the turn ends', async () => {
    await using place = testPlace()
    write(place, '.agents/skills/deploy/SKILL.md', skill('deploy', 'allowed-tools: Bash(echo:*) Read\n'))
    const run = (command: string) => ({ calls: [{ name: 'shell', args: { command } }] })
    const model = scriptedModel(run('echo hi; mkdir a'), { text: 'ok' }, run('mkdir b'), { text: 'ok' })
    const { client, watched, summary } = await place.talk({ model }, free)
    const { conversationId } = summary
    await watched.send('/deploy')
    await watched.until(({ core }) => Object.keys(core.approvals).length > 0)
    const [approval] = Object.values(watched.state.core.approvals)
    expect(approval).toMatchObject({ rule: { name: 'builtin:skill-tools' } })
    expect(approval?.reason).toContain('the skill in use (deploy) does not name it')
    await client.request('approval/decide', { conversationId, approvalId: approval?.id ?? '', decision: 'denied' })
    await watched.turnEnded()
    const replay = await client.request('policy/replay', { conversation: conversationId })
    expect(replay.calls.find(({ tool }) => tool === 'shell')).toMatchObject({
      before: { verdict: 'ask', rule: { name: 'builtin:skill-tools' } },
      after: { verdict: 'ask', rule: { name: 'builtin:skill-tools' } },
    })
    await watched.send('and now')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests.at(-1)?.entries.at(-1))).toContain('exit 0')
  })
})

describe('a command', () => {
  it('is filled in, and what it wants is run and read by the rules for the model', async () => {
    await using place = testPlace()
    place.write('a.txt', 'alpha')
    write(
      place,
      '.parley/prompts/look.md',
      '---\ndescription: Looks.\n---\nLook at $1: !`echo one $1` !`mkdir two` @a.txt @none.txt\n',
    )
    const model = scriptedModel({ text: 'ok' })
    const { client, watched, summary } = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    const { conversationId } = summary
    await watched.send('/look here')
    await watched.until(({ core }) => Object.keys(core.approvals).length > 0)
    const [approval] = Object.values(watched.state.core.approvals)
    expect(approval).toMatchObject({ detail: 'mkdir two' })
    await client.request('approval/decide', { conversationId, approvalId: approval?.id ?? '', decision: 'denied' })
    await watched.turnEnded()
    const [, message, called, one, two, file] = model.requests[0]?.entries ?? []
    expect(message).toMatchObject({
      content: [
        { text: '/look here' },
        { text: expect.stringContaining('Look at here: `echo one here` `mkdir two` @a.txt') },
      ],
    })
    expect(called).toMatchObject({ calls: [{ name: 'shell' }, { name: 'shell' }, { name: 'read_file' }] })
    expect(JSON.stringify(one)).toContain('one here')
    expect(two).toMatchObject({ isError: true })
    expect(JSON.stringify(file)).toContain('alpha')
  })

  it('that waits is filled in when it is sent, and runs when its turn comes', async () => {
    await using place = testPlace()
    write(place, '.parley/prompts/look.md', 'Look. !`echo seen`')
    const { promise, resolve } = Promise.withResolvers<void>()
    const model = scriptedModel({ begins: 'read_file', gate: promise }, { text: 'ok' }, { text: 'ok' })
    const { client, watched, summary } = await place.talk({ model })
    await watched.send('first')
    const { conversationId } = summary
    const input = [{ type: 'text' as const, text: '/look' }]
    await client.request('conversation/sendMessage', { conversationId, input, when: 'steer' })
    expect(watched.state.core.inbox.map(({ calls }) => calls?.length)).toEqual([1])
    resolve()
    await watched.until(({ core }) => core.turn === null && core.inbox.length === 0)
    expect(JSON.stringify(model.requests.at(-1)?.entries)).toContain('seen')
  })

  it('is refused where a command would have a secret in it, which the log does not keep', async () => {
    await using place = testPlace()
    write(place, '.parley/prompts/call.md', 'Call it: !`echo $1 > out`')
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'ok' }) }, free)
    const { conversationId } = watched
    const input = [{ type: 'text' as const, text: `/call ghp_${'a1B2'.repeat(9)}` }]
    expect(await client.refused('conversation/sendMessage', { conversationId, input })).toMatchObject({
      code: 'invalidParams',
      message: expect.stringContaining('a secret in it'),
    })
    expect(watched.events).toEqual([])
  })

  it('with the name of a skill that is not trusted is rejected with the reason', async () => {
    await using place = testPlace()
    write(place, 'work/.claude/skills/deploy/SKILL.md', skill('deploy'))
    const { client, summary } = await place.talk({ model: scriptedModel() })
    const input = [{ type: 'text' as const, text: '/deploy' }]
    await expect(
      client.request('conversation/sendMessage', { conversationId: summary.conversationId, input }),
    ).rejects.toThrow('/deploy cannot be used: you have not trusted it yet')
  })
})

describe('a conversation with skills and commands', () => {
  it('is replayed from its log without its files', async () => {
    await using place = testPlace()
    write(place, '.agents/skills/deploy/SKILL.md', skill('deploy', 'allowed-tools: Bash\n'))
    write(place, '.parley/prompts/look.md', 'Look with $deploy. !`echo seen`')
    const model = scriptedModel({ calls: [{ name: 'shell', args: { command: 'echo two' } }] }, { text: 'ok' })
    const { client, watched, summary } = await place.talk({ model }, free)
    await watched.send('/look $deploy')
    await watched.turnEnded()
    const replayed = await client.request('replay/run', { conversation: summary.conversationId })
    expect(replayed).toMatchObject({ difference: null })
    expect(replayed.hashes).toBe(2)
  })
})
