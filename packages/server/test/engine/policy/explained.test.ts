import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const shell = (command: string) => ({ name: 'shell', args: { command } })
const policy = `[[rule]]
decision = "deny"
command = ["curl"]
reason = "nothing is fetched here"
`

describe('policy/test', () => {
  it('names the rule, its line and each part of the command', async () => {
    await using place = testPlace()
    writeFileSync(join(place.root, '.parley', 'policy.toml'), policy)
    const client = await place.start().connect()
    const ask = (command: string | string[], more = {}) =>
      client.request('policy/test', { cwd: place.cwd, command, ...more })
    expect(await ask('ls && curl x')).toMatchObject({
      verdict: 'deny',
      reason: 'nothing is fetched here',
      rule: { name: 'rule:command curl', file: join(place.root, '.parley', 'policy.toml'), line: 1 },
      enforcement: 'none',
      approvalPolicy: 'on-request',
      parts: [
        { argv: ['ls'], verdict: 'allow', rule: { name: 'builtin:known-safe' } },
        { argv: ['curl', 'x'], verdict: 'deny' },
      ],
    })
    expect(await ask('ls $(curl x)')).toMatchObject({ verdict: 'deny', understood: false, parts: [] })
    expect(await ask(['touch', 'a'])).toMatchObject({ verdict: 'ask', always: 'touch a', argv: ['touch', 'a'] })
    expect(await ask('touch a', { approvalPolicy: 'never' })).toMatchObject({ verdict: 'deny', code: 'noSandbox' })
    expect(await ask('touch a', { sandbox: 'danger-full-access' })).toMatchObject({
      verdict: 'allow',
      enforcement: 'none',
    })
  })

  it('is rejected, like a conversation, when the rules file is a dangling link', async () => {
    await using place = testPlace()
    const file = join(place.root, '.parley', 'policy.toml')
    symlinkSync(join(place.root, 'dotfiles/policy.toml'), file)
    const client = await place.start().connect()
    const { message } = await client.refused('policy/test', { cwd: place.cwd, command: 'ls' })
    expect(message).toContain(`${file} is a link to ${place.root}/dotfiles/policy.toml, which is not there.`)
    expect((await client.refused('conversation/create', { cwd: place.cwd })).message).toBe(message)
    const { checks } = await client.request('server/checkup', { cwd: place.cwd, provider: false })
    expect(checks).toContainEqual(expect.objectContaining({ name: 'rules', level: 'problem', text: message }))
  })

  it('applies the rules of a project once it is trusted', async () => {
    await using place = testPlace()
    mkdirSync(join(place.cwd, '.parley'))
    place.write('.parley/policy.toml', '[[rule]]\ndecision = "deny"\ncommand = ["touch"]\n')
    const client = await place.start().connect()
    const ask = () => client.request('policy/test', { cwd: place.cwd, command: 'touch a' })
    expect(await ask()).toMatchObject({ verdict: 'ask' })
    const { hash } = await client.request('trust/read', { cwd: place.cwd })
    await client.request('trust/decide', { cwd: place.cwd, hash: hash ?? '', verdict: 'trusted' })
    expect(await ask()).toMatchObject({ verdict: 'deny', rule: { name: 'rule:command touch', line: 1 } })
  })

  it('applies a named rules file, and rejects a missing or invalid one', async () => {
    await using place = testPlace()
    writeFileSync(join(place.root, '.parley', 'policy.toml'), policy)
    place.write('new.toml', '[[rule]]\ndecision = "allow"\ncommand = ["curl"]\n')
    place.write('bad.toml', '[[rule]]\ndecision = "maybe"\ncommand = ["curl"]\n')
    const client = await place.start().connect()
    const params = { cwd: place.cwd, command: 'curl x' }
    expect(await client.request('policy/test', { ...params, rules: join(place.cwd, 'new.toml') })).toMatchObject({
      verdict: 'allow',
    })
    expect(await client.request('policy/test', { ...params, policyFile: join(place.cwd, 'new.toml') })).toMatchObject({
      verdict: 'deny',
    })
    for (const [rules, where] of [
      ['none.toml', /does not exist/],
      ['bad.toml', /bad\.toml:2/],
    ] as const)
      expect((await client.refused('policy/test', { ...params, rules: join(place.cwd, rules) })).message).toMatch(where)
  })
})

describe('the recorded calls of a conversation', () => {
  it('are judged again under other rules and settings and not run', async () => {
    await using place = testPlace()
    const model = scriptedModel(
      { calls: [shell('ls'), shell('touch made'), shell('touch made'), shell('touch other')] },
      { text: 'ok' },
    )
    const { watched, client } = await place.talk({ model })
    await watched.send('go')
    await watched.decide('approvedForSession')
    await watched.until(({ core }) => Object.values(core.approvals).find(({ title }) => title === 'touch other'))
    await watched.decide('denied')
    await watched.turnEnded()
    place.write(
      'new.toml',
      '[[rule]]\ndecision = "allow"\ncommand = ["touch", "other"]\n\n[[rule]]\ndecision = "deny"\ncommand = ["ls"]\n',
    )
    const conversation = watched.conversationId
    const same = await client.request('policy/replay', { conversation })
    expect(same.calls.map(({ before, after }) => [before.verdict, after.verdict])).toEqual([
      ['allow', 'allow'],
      ['ask', 'ask'],
      ['allow', 'allow'],
      ['ask', 'ask'],
    ])
    expect(same.calls.map(({ before }) => before.answer)).toEqual([
      undefined,
      'approvedForSession',
      undefined,
      'denied',
    ])
    const changed = await client.request('policy/replay', { cwd: place.cwd, rules: join(place.cwd, 'new.toml') })
    expect(changed.conversationId).toBe(conversation)
    expect(changed.calls.map(({ title, after }) => [title, after.verdict, after.rule.line])).toEqual([
      ['ls', 'deny', 5],
      ['touch made', 'ask', undefined],
      ['touch made', 'allow', undefined],
      ['touch other', 'allow', 1],
    ])
    const strict = await client.request('policy/replay', { conversation, approvalPolicy: 'never' })
    expect(strict.calls.map(({ after }) => after.verdict)).toEqual(['allow', 'deny', 'deny', 'deny'])
  })

  it('are explained with the decision, the answer and its giver, also while they wait', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [shell('ls'), shell('touch made'), shell('rm -rf x')] })
    const { watched, client } = await place.talk({ model })
    await watched.send('go')
    await watched.decide('approved')
    await watched.until(({ core }) => Object.values(core.approvals).find(({ title }) => title === 'rm -rf x'))
    const why = async (item?: string) => {
      const about = { conversation: watched.conversationId, ...(item === undefined ? {} : { item }) }
      const { rows, item: found, calls } = await client.request('policy/why', about)
      return { found, calls, text: rows.map(({ about: label, text }) => `${label}: ${text}`).join('\n') }
    }
    const waiting = await why()
    expect(waiting).toMatchObject({ calls: 3, found: { title: 'rm -rf x', status: 'awaitingApproval' } })
    expect(waiting.text).toMatch(/danger: rm deletes without asking/)
    expect(waiting.text).toMatch(/answer: none yet/)
    const made = await why('2')
    expect(made.text).toMatch(/rule: builtin:no-sandbox, which is built in/)
    expect(made.text).toMatch(/answer: test: yes/)
    expect(made.text).toMatch(/commands: touch made \(\/.*touch; not known to be safe\)/)
    expect(made.text).toMatch(/settings then: approvals on-request, sandbox workspace-write, enforcement none/)
    expect(made.text).toMatch(/outcome: completed, exit 0/)
    expect((await why('ls')).text).toMatch(/decision: ran unasked: it only looks/)
    expect((await why(made.found.id)).found).toEqual(made.found)
    const refused = await client.refused('policy/why', { conversation: watched.conversationId, item: '9' })
    expect(refused).toMatchObject({ code: 'itemNotFound', message: expect.stringContaining('1 to 3') })
    await client.request('conversation/interrupt', { conversationId: watched.conversationId })
    await watched.until(({ core }) => core.lastTurn?.outcome === 'interrupted')
    expect((await why()).text).toMatch(/answer: none: the call ended first/)
  })
})

describe('a call that has not ended', () => {
  it('is explained with the rule that allowed it, during the run and after a crash', async () => {
    await using place = testPlace()
    execFileSync('mkfifo', [join(place.cwd, 'pipe')])
    const { watched, client } = await place.talk({ model: scriptedModel({ calls: [shell('cat pipe')] }) })
    const conversation = watched.conversationId
    const rowsFrom = async (from: typeof client) => {
      const { rows, item } = await from.request('policy/why', { conversation })
      return { status: item.status, ...Object.fromEntries(rows.map(({ about, text }) => [about, text])) }
    }
    await watched.send('go')
    await watched.until(({ core }) => Object.values(core.open).find(({ executionStarted }) => executionStarted))
    const allowed = {
      decision: expect.stringMatching(/^ran unasked: it only looks/),
      rule: 'builtin:known-safe, which is built in',
    }
    expect(await rowsFrom(client)).toMatchObject({
      ...allowed,
      status: 'inProgress',
      facts: expect.stringContaining('yet'),
    })
    // As kill -9 leaves it: what is on the disk, and nobody who writes on.
    await using killed = testPlace()
    cpSync(place.path(conversation, 'folder'), killed.path(conversation, 'folder'), { recursive: true })
    const later = await killed.start().connect()
    await later.request('conversation/resume', { conversationId: conversation })
    expect(await rowsFrom(later)).toMatchObject({ ...allowed, status: 'unknown' })
    await client.request('conversation/interrupt', { conversationId: conversation })
    await watched.turnEnded()
  })
})

describe('the checkup', () => {
  it('reports each check with a remedy for every problem', async () => {
    await using place = testPlace()
    const client = await place.start({ model: scriptedModel() }).connect()
    const look = async () => {
      const { checks } = await client.request('server/checkup', { cwd: place.cwd, provider: false })
      return Object.fromEntries(checks.map(({ name, level }) => [name, level]))
    }
    expect(await look()).toEqual({
      home: 'ok',
      disk: expect.any(String),
      configuration: 'ok',
      rules: 'ok',
      sandbox: 'warning',
      secrets: 'ok',
      'shell parser': 'ok',
      variables: 'ok',
      conversations: 'ok',
    })
    writeFileSync(join(place.root, '.parley', 'policy.toml'), '[[rule]]\n', { mode: 0o600 })
    writeFileSync(join(place.root, '.parley', 'config.toml'), 'sandbox_mode = "none"\n')
    expect(await look()).toMatchObject({ configuration: 'problem', rules: 'problem' })
  })
})
