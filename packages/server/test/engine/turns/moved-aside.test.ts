import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { openSandboxes } from '@parley/host'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const sandboxes = openSandboxes({ cacheFile: null })
const { enforcement, reason } = await sandboxes.report()

const shell = (command: string) => ({ name: 'shell', args: { command } })
const makesRepository = 'git init -q sub && git -C sub config core.fsmonitor evil && git -C sub config user.name x'

/** Runs a command whose work is moved aside, up to the question about it. */
async function askedAfter(place: ReturnType<typeof testPlace>, command: string) {
  const model = scriptedModel({ calls: [shell(command)] }, { text: 'ok' })
  const { watched } = await place.talk({ model, sandboxes, shell: '/bin/sh' })
  await watched.send('go')
  const question = await watched.approval()
  const ended = async () => {
    await watched.turnEnded()
    return watched.items().find(({ type }) => type === 'commandExecution')
  }
  return { watched, question, ended }
}

const asidesIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('.parley-aside-'))

describe.skipIf(enforcement !== 'full')(`what was moved aside after a command (here: ${reason})`, () => {
  it('is shown whole in a question, said in a notice, and put back by a yes', async () => {
    await using place = testPlace()
    const { watched, question, ended } = await askedAfter(place, makesRepository)
    const config = `${place.cwd}/sub/.git/config`
    expect(question).toMatchObject({ kind: 'elicitation', title: expect.stringContaining(config) })
    expect(question.detail).toContain('core.fsmonitor')
    expect(question.detail).toContain('fsmonitor = evil')
    expect(question.detail).toContain('name = x')
    expect(existsSync(config)).toBe(false)
    await watched.decide('approved')
    const command = await ended()
    expect(command).toMatchObject({ modelText: expect.stringContaining(`(The user had ${config} put back.)`) })
    expect(readFileSync(config, 'utf8')).toContain('fsmonitor = evil')
    expect(asidesIn(`${place.cwd}/sub/.git`)).toEqual([])
    const notices = watched.items().filter(({ type }) => type === 'notice')
    expect(notices).toMatchObject([{ code: 'guardExchanged', title: expect.stringContaining(config) }])
  })

  it('stays aside after a no, and the model is told', async () => {
    await using place = testPlace()
    const { watched, ended } = await askedAfter(place, 'echo "[hooks]" > mise.toml')
    await watched.decide('denied')
    expect(await ended()).toMatchObject({ modelText: expect.stringContaining('left it aside') })
    expect(existsSync(`${place.cwd}/mise.toml`)).toBe(false)
    expect(asidesIn(place.cwd)).toHaveLength(1)
  })

  it('is not put back when it is another one by then', async () => {
    await using place = testPlace()
    const { watched, ended } = await askedAfter(place, 'mkdir .claude; echo "{}" > .claude/settings.json')
    const [aside = ''] = asidesIn(place.cwd)
    appendFileSync(`${place.cwd}/${aside}/settings.json`, 'more\n')
    await watched.decide('approved')
    expect(await ended()).toMatchObject({ modelText: expect.stringContaining('not what was shown') })
    expect(existsSync(`${place.cwd}/.claude`)).toBe(false)
  })

  it('is shown as executable where it is, and not put back with another mode', async () => {
    await using place = testPlace()
    const { watched, question, ended } = await askedAfter(
      place,
      'mkdir .claude; echo ok > .claude/a; echo "#!/bin/sh" > .claude/run; chmod 755 .claude/run',
    )
    expect(question.detail).toContain(`${place.cwd}/.claude/run (executable):\n#!/bin/sh\n`)
    expect(question.detail).toContain(`${place.cwd}/.claude/a:\nok\n`)
    const [aside = ''] = asidesIn(place.cwd)
    chmodSync(`${place.cwd}/${aside}/a`, 0o755)
    await watched.decide('approved')
    expect(await ended()).toMatchObject({ modelText: expect.stringContaining('not what was shown') })
  })

  it.each([
    ['a link', 'echo x > x; ln -s x mise.toml', 'mise.toml is a link'],
    ['a link in a folder', 'mkdir .claude; ln -s ../x .claude/settings.json', 'settings.json is a link'],
    ['a link to a folder', 'mkdir c .claude; ln -s ../c .claude/commands', 'commands is a link'],
    ['a file with further names', 'echo x > x; ln x mise.toml', 'mise.toml has further names'],
    ['bytes that are no text', "printf 'a\\377' > mise.toml", 'mise.toml is no text in UTF-8'],
    ['a file in a deep folder', 'mkdir -p .claude/a/b/c/d; echo x > .claude/a/b/c/d/x', 'holds more than can be shown'],
    [
      'a file beside those of a repository',
      'mkdir -p .claude/objects .claude/refs; cp .git/HEAD .claude 2>/dev/null || echo "ref: refs/heads/a" > .claude/HEAD; echo x > .claude/settings.json',
      'holds more than can be shown',
    ],
    ['what is no file', 'mkdir .claude; mkfifo .claude/pipe', '.claude holds'],
  ])('is not offered where a text does not show what it would be: %s', async (_, command, why) => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [shell(command)] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes, shell: '/bin/sh' })
    await watched.send('go')
    await watched.turnEnded()
    const ran = watched.items().find(({ type }) => type === 'commandExecution')
    expect(ran).toMatchObject({ modelText: expect.stringContaining(why) })
    expect(asidesIn(place.cwd)).toHaveLength(1)
  })

  it('is nothing for a command that makes a harmless repository, which ends without a question', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [shell('git init -q sub && echo x > sub/a')] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes, shell: '/bin/sh' })
    await watched.send('go')
    await watched.turnEnded()
    expect(watched.items().filter(({ type }) => type === 'notice')).toEqual([])
    expect(readFileSync(`${place.cwd}/sub/.git/HEAD`, 'utf8')).toContain('ref: refs/heads/')
  })

  it('is told to the model after the end of a command in the background', async () => {
    await using place = testPlace()
    const call = { name: 'shell', args: { command: `sleep 0.2; ${makesRepository}`, background: true } }
    const model = scriptedModel({ calls: [call] }, { text: 'ok' }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes, shell: '/bin/sh' })
    await watched.send('go')
    const isEnd = ({ item }: { item: { type: string; code?: string } }) => item.code === 'backgroundEnded'
    await watched.until((state) => state.window.find(isEnd))
    await watched.turnEnded()
    await watched.send('and now?')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests.at(-1)?.entries)).toContain('core.fsmonitor')
    expect(existsSync(`${place.cwd}/sub/.git/config`)).toBe(false)
  })

  it('is told with the way to have it back where nobody is asked', async () => {
    await using place = testPlace()
    const model = scriptedModel({ calls: [shell(makesRepository)] }, { text: 'ok' })
    const { watched } = await place.talk({ model, sandboxes, shell: '/bin/sh' }, { approvalPolicy: 'never' })
    await watched.send('go')
    await watched.turnEnded()
    const command = watched.items().find(({ type }) => type === 'commandExecution')
    expect(command).toMatchObject({ modelText: expect.stringContaining('move the file back by apply_patch') })
  })
})

describe('a command of the user', () => {
  it('that makes a repository which starts programs keeps it, and that is said', async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ model: scriptedModel({ text: 'ok' }), shell: '/bin/sh' })
    const { conversationId } = watched
    const { itemId } = await client.request('conversation/runShell', { conversationId, command: makesRepository })
    await watched.until((state) => state.window.find(({ item }) => item.type === 'notice'))
    const config = `${place.cwd}/sub/.git/config`
    expect(readFileSync(config, 'utf8')).toContain('fsmonitor = evil')
    expect(watched.items()).toMatchObject([
      { id: itemId, status: 'completed', modelText: expect.stringContaining('may start programs') },
      { type: 'notice', level: 'warning', code: 'guardExchanged', title: expect.stringContaining(config) },
    ])
  })
})
