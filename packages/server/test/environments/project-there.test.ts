import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SharedStore } from '@parley/engine/shared-store'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import { testClock } from '@parley/engine/test/support/test-clock.ts'
import type { TestPorts } from '@parley/engine/test/support/test-parts.ts'
import { nodeFiles, STORE_GONE, StorageError } from '@parley/journal'
import { createRedaction } from '@parley/redaction'
import { openStore } from '@parley/team/store'
import { hasFullSandbox, hasNats, noFullSandbox, startNats } from '@parley/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../engine/support/test-server.ts'
import { configFor } from './support/config-for.ts'
import { type FarMachine, startFarMachine } from './support/far-machine.ts'
import { calling, type FarPlace, inBox, placeFor, shell } from './support/far-talk.ts'
import { passedOnStore } from './support/passed-on-store.ts'

let machine: FarMachine

beforeAll(async () => {
  machine = await startFarMachine()
})

afterAll(() => machine[Symbol.asyncDispose]())

const toolServer = fileURLToPath(new URL('../tools/mcp/support/ugly-server.mjs', import.meta.url))
const patience = { mcpPatience: { firstRequestMs: 60_000, restartDelaysMs: [] } }

/** A hook that writes down where it ran, in a file that it loads, and denies lines with `forbidden`. */
const guard = `read -r input
. ./.parley/hooks/lib.sh
case "$input" in *forbidden*) say; exit 2;; esac`
const lib = 'pwd > "$PARLEY_PROJECT_DIR/ran-in"; say() { echo "not in this project" >&2; }'

const config = `[[hooks.PreToolUse]]
matcher = "Bash"
[[hooks.PreToolUse.hooks]]
name = "guard"
command = "sh .parley/hooks/guard.sh"
`
const withServer = `[mcp_servers.ugly]
command = "${process.execPath}"
args = ["server.mjs", "plain", "/dev/null"]
startup_timeout_sec = 60
`
const rules = `[[rule]]
decision = "deny"
command = ["touch"]
reason = "no touching"
`
// A tool server runs in the full sandbox, whose /tmp is one of its own: the programs of such a checkout are not there.
const isHidden = process.execPath.startsWith('/tmp/')
const head = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\n`

function bring({ far }: FarPlace<ReturnType<FarMachine['newFolder']>>): void {
  far.write('.git/HEAD', 'ref: refs/heads/main\n')
  far.write('AGENTS.md', 'Speak plainly.')
  far.write('server.mjs', `import ${JSON.stringify(toolServer)}\n`)
  far.write('.parley/config.toml', config)
  far.write('.parley/policy.toml', rules)
  far.write('.parley/hooks/guard.sh', guard)
  far.write('.parley/hooks/lib.sh', lib)
  far.write('.agents/skills/tidy/SKILL.md', `${head('tidy')}Tidy up.`)
  far.write('.agents/skills/tidy/list.txt', 'brooms\n')
  far.write('.parley/prompts/count.md', 'Count @notes.txt and !`echo from-$0-there`.')
  far.write('notes.txt', 'one two three\n')
}

type Place = ReturnType<typeof placeFor<ReturnType<FarMachine['newFolder']>>>

async function trust(place: Place, ports: TestPorts = {}): Promise<void> {
  const { server } = await place.talk(calling(), ports)
  const client = await server.connect()
  const folder = { cwd: place.far.work, environment: 'box' }
  const { hash } = await client.request('trust/read', folder)
  await client.request('trust/decide', { ...folder, hash: hash ?? '', verdict: 'trusted' })
  await server.close()
}

const commandsOf = (watched: Watched) => watched.items().filter(({ type }) => type === 'commandExecution')

describe('a project on another machine', () => {
  it('has no effect before it is trusted, and it is said what it brings', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    bring(place)
    const { watched, summary } = await place.talk(calling(shell('echo forbidden > out')))
    await watched.send('go')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.far.read('out')).toBe('forbidden\n')
    expect(summary.warnings.join()).toContain('Nothing of it takes effect unless you trust it')
    expect(existsSync(`${place.far.work}/ran-in`)).toBe(false)
  })

  it('has its hooks, rules, skills and commands there once it is trusted', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    bring(place)
    await trust(place)
    const model = calling(shell('echo forbidden > out'), shell('touch out'), {
      name: 'use_skill',
      args: { skill: 'tidy', file: 'list.txt' },
    })
    const talk = await place.talk(model, patience, { ...inBox, approvalPolicy: 'on-request' })
    const { watched, server, summary } = talk
    expect(summary.instructionFiles).toEqual([`${place.far.work}/AGENTS.md`])
    await watched.send('/count')
    await watched.turnEnded()
    const [counted, denied, touched] = commandsOf(watched)
    expect(counted).toMatchObject({ status: 'completed', modelText: expect.stringContaining('-there') })
    expect(denied).toMatchObject({
      status: 'denied',
      decision: { rule: { name: 'hook:guard' }, reason: 'not in this project' },
    })
    expect(touched).toMatchObject({ status: 'denied', decision: { reason: 'no touching' } })
    const texts = watched.items().flatMap((item) => ('modelText' in item ? [item.modelText] : []))
    expect(texts.join()).toContain('one two three')
    expect(texts.join()).toContain('brooms')
    const copy = place.far.read('ran-in').trim()
    expect(copy).toMatch(/^\/var\/tmp\/parley-hooks-/)
    const client = await server.connect()
    const { parts } = await client.request('skill/list', { cwd: '.', environment: 'box' })
    expect(parts.map(({ name, state }) => [name, state])).toEqual([
      ['tidy', 'ready'],
      ['count', 'ready'],
    ])
  })

  it('that does not say in time what a command is keeps the message back, and no other', async () => {
    await using place = placeFor(machine.newFolder())
    // The time to look is over before an answer can come.
    const { client, watched } = await place.talk(calling(), { clock: testClock() })
    const { conversationId } = watched
    const send = (text: string) => ({ conversationId, input: [{ type: 'text' as const, text }] })
    expect(await client.refused('conversation/sendMessage', send('/count'))).toMatchObject({
      code: 'environmentUnreachable',
      message: expect.stringContaining('what /count is there'),
    })
    await client.request('conversation/sendMessage', send('costs $five'))
    await watched.turnEnded()
    expect(watched.items()[0]).toMatchObject({ type: 'userMessage' })
  })

  it('narrows the settings of new conversations once it is trusted, unless they say otherwise', async () => {
    await using place = placeFor(machine.newFolder())
    bring(place)
    place.far.write('.parley/config.toml', 'model = "m2"\napproval_policy = "untrusted"\nsandbox_mode = "read-only"\n')
    const begin = async (said: Partial<typeof inBox> = {}) => {
      const { summary } = await place.talk(calling(), {}, { environment: 'box', ...said })
      const { model, approvalPolicy, sandbox } = summary.settings
      return [model, approvalPolicy, sandbox]
    }
    expect(await begin()).toEqual(['m1', 'on-request', 'workspace-write'])
    await trust(place)
    expect(await begin()).toEqual(['m2', 'untrusted', 'read-only'])
    const said = { model: 'm3', approvalPolicy: 'on-request', sandbox: 'workspace-write' } as const
    expect(await begin(said)).toEqual(Object.values(said))
    place.far.write('.parley/config.toml', 'approval_policy = "on-request"\nsandbox_mode = "danger-full-access"\n')
    await trust(place)
    const { summary } = await place.talk(calling(), {}, { environment: 'box' })
    expect(summary.settings).toMatchObject({ model: 'm1', approvalPolicy: 'on-request', sandbox: 'workspace-write' })
    expect(summary.warnings.join()).toContain('sandbox_mode')
  })

  it.skipIf(isHidden)('has its tool servers there once it is trusted', async () => {
    await using place = placeFor(machine.newFolder())
    bring(place)
    place.far.write('.parley/config.toml', withServer)
    await trust(place)
    const { watched } = await place.talk(calling({ name: 'mcp__ugly__echo', args: { a: 1 } }), patience, {
      ...inBox,
      approvalPolicy: 'on-request',
    })
    await watched.send('go')
    await watched.decide('approved')
    await watched.turnEnded()
    const texts = watched.items().flatMap((item) => ('modelText' in item ? [item.modelText] : []))
    expect(texts.join()).toContain('{"a":1}')
  })
})

describe('a hook of a project on another machine', () => {
  it('is the one that was trusted, whatever is written over it while the conversation is open', async () => {
    await using place = placeFor(machine.newFolder())
    bring(place)
    await trust(place)
    const overwrite = "printf 'exit 0' > .parley/hooks/guard.sh"
    const free = { ...inBox, sandbox: 'danger-full-access' } as const
    const { watched } = await place.talk(calling(shell(overwrite), shell('echo forbidden > out')), patience, free)
    await watched.send('go')
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.far.read('.parley/hooks/guard.sh')).toBe('exit 0')
    expect(commandsOf(watched)).toMatchObject([{ status: 'completed' }, { status: 'denied' }])
    const { summary } = await place.talk(calling())
    expect(summary.warnings.join()).toContain('has changed since you trusted it')
  })
})

describe('a project on another machine that was trusted at a server of a store', () => {
  it.skipIf(!hasNats)('has its hooks and rules at the next server, which has nothing of the first', async () => {
    await using nats = await startNats()
    const open = () => openStore({ servers: nats.addresses, replicas: 1, files: nodeFiles })
    await using first = placeFor(machine.newFolder())
    bring(first)
    let conversationId = ''
    {
      await using store = await open()
      await trust(first, sharing(first.here, store))
      const { watched, server } = await first.talk(calling(), sharing(first.here, store))
      conversationId = watched.conversationId
      await watched.send('go')
      await watched.turnEnded()
      await server.close()
    }
    await using store = await open()
    await using next = testPlace()
    next.write('../.parley/config.toml', configFor(first.far))
    const model = calling(shell('echo forbidden > out'), shell('touch out'))
    await using server = next.start({ ...sharing(next, store), model })
    const client = await server.connect()
    const { warnings } = await client.request('conversation/resume', { conversationId })
    const watched = await client.watch(conversationId)
    await watched.send('go')
    await watched.turnEnded()
    expect(commandsOf(watched)).toMatchObject([
      { status: 'denied', decision: { rule: { name: 'hook:guard' } } },
      { status: 'denied', decision: { reason: 'no touching' } },
    ])
    expect(warnings.join()).not.toContain('trust')
  })

  it('lets nothing begin while the store is away that has the decision, and then goes on', async (context) => {
    context.skip(!hasFullSandbox, noFullSandbox)
    await using place = placeFor(machine.newFolder())
    bring(place)
    const { store, answers } = storeThatMayBeAway()
    await trust(place, { store })
    const { watched: asked, server: first } = await place.talk(calling(shell('echo fine > out')), { store })
    await asked.send('go')
    await asked.approval()
    await first.close()

    answers.areAway = true
    place.far.write('ran-in', '')
    const next = place.here.start({ store, model: calling(shell('touch out')) })
    const client = await next.connect()
    const { conversationId } = asked
    const { warnings } = await client.request('conversation/resume', { conversationId })
    expect(warnings.join()).toContain('not known while the store is away')
    const watched = await client.watch(conversationId)
    await watched.decide('approved')
    await client.notice(({ code }) => code === 'storageFailed')
    expect([
      watched.events.map(({ event }) => event.type).includes('execution.started'),
      place.far.read('ran-in'),
    ]).toEqual([false, ''])
    const refused = await client.refused('trust/read', { cwd: place.far.work, environment: 'box' })
    expect(refused).toMatchObject({ code: 'storageFailed', message: expect.stringContaining('which does not answer') })
    answers.areAway = false
    await watched.turnEnded()
    expect(place.far.read('out')).toBe('fine\n')
    expect(commandsOf(watched)).toMatchObject([
      { status: 'completed' },
      { status: 'denied', decision: { reason: 'no touching' } },
    ])
  })
})

/** Ports of a server of a store, which seals with the key that its servers have in common. */
function sharing({ root }: TestPlace, store: SharedStore): TestPorts {
  const redaction = createRedaction({ home: join(root, '.parley'), env: {} })
  redaction.useKey(store.key)
  return { store, redaction }
}

function storeThatMayBeAway() {
  const kept = new Map<string, string>()
  const answers = {
    areAway: false,
    async read(name: string) {
      if (answers.areAway) throw new StorageError({ code: STORE_GONE, operation: 'read', path: 'nats://test' })
      return kept.get(name) ?? null
    },
    async change(name: string, next: (before: string | null) => string | null) {
      const text = next(kept.get(name) ?? null)
      if (text !== null) kept.set(name, text)
    },
  }
  const store: SharedStore = { ...passedOnStore(), answers }
  return { store, answers }
}
