import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const env = {
  PATH: process.env['PATH'],
  HOME: '/nowhere',
  CARGO_HOME: '/opt/cargo',
  GOPROXY: 'https://me:token@proxy.example',
  DATABASE_URL: 'postgres://db',
  PORT: '80',
  UNNAMED_ONE: 'x',
}
const free = { sandbox: 'danger-full-access' } as const

/** Runs commands of a model, and returns what it was told of each beside the items. */
async function ran(...commands: (string | readonly string[])[]) {
  await using place = testPlace()
  const calls = commands.map((command) => ({ calls: [{ name: 'shell', args: { command } }] }))
  const model = scriptedModel(...calls, { text: 'ok' })
  const { watched } = await place.talk({ model, env }, free)
  await watched.send('go')
  await watched.turnEnded()
  const items = watched.items().flatMap((item) => (item.type === 'commandExecution' ? [item] : []))
  return { items, told: model.requests.map(({ entries }) => JSON.stringify(entries.at(-1))) }
}

const held = (names: string) =>
  `It did not get all variables that parley was started with: not ${names}. [shell_environment] include = [`

/** Command that fails, and the variables whose absence shows in it. */
const failures: readonly (readonly [title: string, command: string, held: string | null])[] = [
  ['names it', 'echo "KeyError: \'DATABASE_URL\'"; exit 1', 'DATABASE_URL'],
  ['reads it', 'test -n "$DATABASE_URL"', 'DATABASE_URL'],
  ['requires it by a plain word', 'echo "PORT is not set"; exit 1', 'PORT'],
  ['starts a program of its toolchain', 'go() { false; }; go build ./...', 'GOPROXY (its value holds a secret)'],
  ['has a word like it', 'echo "PORT 80 in use, MY_DATABASE_URL"; exit 1', null],
  ['has nothing to do with it', 'exit 3', null],
  ['succeeds', 'echo "DATABASE_URL is not set"', null],
]

describe('a variable that commands do not get', () => {
  it.each(failures)('is named to user and model where a command %s', async (_title, command, names) => {
    const { items, told } = await ran(command)
    const message = names === null ? undefined : expect.stringContaining(held(names))
    expect(items[0]?.failure?.message).toEqual(message)
    if (names === null) expect(told[1]).not.toContain('It did not get')
    else expect(told[1]).toContain(held(names))
    expect(told[1]).not.toContain('UNNAMED_ONE')
  })

  it('is named once in a conversation', async () => {
    const { items } = await ran('test -n "$DATABASE_URL"', 'test -n "$DATABASE_URL"')
    expect(items.map(({ failure }) => failure?.code)).toEqual(['variablesHeldBack', undefined])
    expect(items.map(({ exitCode }) => exitCode)).toEqual([1, 1])
  })

  it("is named to the user after the user's own command, too", async () => {
    await using place = testPlace()
    const { client, watched } = await place.talk({ env })
    const { conversationId } = watched
    const command = 'test -n "$DATABASE_URL" && test -n "$CARGO_HOME"'
    const { itemId } = await client.request('conversation/runShell', { conversationId, command })
    const ended = await watched.until((state) => state.window.find(({ item }) => item.id === itemId))
    const message = expect.stringContaining(held('DATABASE_URL'))
    expect(ended.item).toMatchObject({ status: 'failed', exitCode: 1, failure: { message } })
  })

  it('is listed by the checkup, without its value', async () => {
    await using place = testPlace()
    const client = await place.start({ env }).connect()
    const { checks } = await client.request('server/checkup', { cwd: place.cwd, provider: false })
    expect(checks.filter(({ name }) => name === 'variables')).toEqual([
      {
        name: 'variables',
        level: 'warning',
        text: 'commands get CARGO_HOME; held back: DATABASE_URL, GOPROXY (its value holds a secret), PORT, UNNAMED_ONE',
        remedy: 'Where a command needs them all the same: include = ["GOPROXY"] in [shell_environment] of config.toml.',
      },
    ])
  })
})

describe('a command', () => {
  it('gets the variables of toolchains', async () => {
    const { items } = await ran('echo "$CARGO_HOME|$GOPROXY|$DATABASE_URL"')
    expect(items[0]).toMatchObject({ output: { head: '/opt/cargo||\n' } })
  })

  it.each([
    [['bash', '-lc', 'true'], 'bash -c true'],
    [['/bin/bash', '-lc', 'echo a b'], "/bin/bash -c 'echo a b'"],
    [['bash', '-l', '-c', 'true'], 'bash -l -c true'],
    [['mybash', '-lc', 'true'], 'mybash -lc true'],
    [['bash'], 'bash'],
  ])('of the words %j runs as %s', async (words, line) => {
    const { items } = await ran(words)
    expect(items[0]?.text).toBe(line)
  })

  it('tells the model why a login shell does not find a program', async () => {
    const { told } = await ran('bash -lc no-such-program-of-mine')
    expect(told[1]).toContain('A login shell sets PATH anew. Without -l the command has the PATH')
  })
})
