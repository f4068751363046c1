import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { type TestPlace, testPlace } from '../support/test-server.ts'

const runs = (command: string) => [{ name: 'shell', args: { command } }]
const free = { sandbox: 'danger-full-access' } as const

const config = `[[hooks.PreToolUse]]
matcher = "Bash"
[[hooks.PreToolUse.hooks]]
name = "guard"
command = "sh .parley/hooks/guard.sh"
outside_sandbox = true
`
const guard = '. ./.parley/hooks/lib.sh; pwd > "$PARLEY_PROJECT_DIR/ran-in"; say'

function bring(place: TestPlace, lib = 'say() { echo "not in this project" >&2; exit 2; }'): void {
  mkdirSync(join(place.cwd, '.parley', 'hooks'), { recursive: true })
  place.write('.parley/config.toml', config)
  place.write('.parley/hooks/guard.sh', guard)
  place.write('.parley/hooks/lib.sh', lib)
}

async function trust(place: TestPlace): Promise<void> {
  const server = place.start()
  const client = await server.connect()
  const { hash } = await client.request('trust/read', { cwd: place.cwd })
  await client.request('trust/decide', { cwd: place.cwd, hash: hash ?? '', verdict: 'trusted' })
  await server.close()
}

async function talk(place: TestPlace) {
  const model = scriptedModel({ calls: runs('echo x > out') }, { text: 'ok' })
  const { watched, summary, server } = await place.talk({ model }, free)
  await watched.send('go')
  await watched.turnEnded()
  return { watched, summary, server }
}

describe('a hook of a project', () => {
  it('does not run before the project is trusted, and it is said that it is there', async () => {
    await using place = testPlace()
    bring(place)
    const { summary } = await talk(place)
    expect(place.read('out')).toBe('x\n')
    expect(summary.warnings.join()).toContain('(.parley/config.toml, 1 hook). Nothing of it takes effect')
  })

  it('is shown with its files before it is trusted, without what only a user may set', async () => {
    await using place = testPlace()
    bring(place)
    const client = await place.start().connect()
    const report = await client.request('trust/read', { cwd: place.cwd })
    expect(report.wouldRun).toMatchObject([
      { name: 'hook PreToolUse Bash: guard', hook: true, argv: ['sh', '-c', 'sh .parley/hooks/guard.sh'] },
    ])
    expect(report.changes.join()).toMatch(
      /the file .parley\/hooks\/guard.sh counts.*the file .parley\/hooks\/lib.sh counts/,
    )
    expect(report.ignored).toEqual([expect.stringContaining('"hooks.PreToolUse.hooks.outside_sandbox" is ignored')])
  })

  it('runs in a copy of exactly the trusted files, which is gone with the conversation', async () => {
    await using place = testPlace()
    bring(place)
    await trust(place)
    const { watched, server } = await talk(place)
    expect(existsSync(join(place.cwd, 'out'))).toBe(false)
    expect(watched.items().find(({ type }) => type === 'commandExecution')).toMatchObject({
      status: 'denied',
      decision: { rule: { name: 'hook:guard' }, reason: 'not in this project' },
    })
    const copy = place.read('ran-in').trim()
    expect(copy).toMatch(/^\/var\/tmp\/parley-hooks-/)
    expect(existsSync(copy)).toBe(true)
    await server.close()
    expect(existsSync(copy)).toBe(false)
  })

  it('whose files have changed does not run, and is asked about again', async () => {
    await using place = testPlace()
    bring(place)
    await trust(place)
    bring(place, 'say() { exit 0; }')
    const { summary } = await talk(place)
    expect(existsSync(join(place.cwd, 'ran-in'))).toBe(false)
    expect(summary.warnings.join()).toContain('has changed since you trusted it, so nothing of it takes effect')
  })

  it('whose files are exchanged after the conversation has begun runs as it was', async () => {
    await using place = testPlace()
    bring(place)
    await trust(place)
    const model = scriptedModel(
      { calls: runs('true') },
      { text: 'ok' },
      { calls: runs('echo x > out') },
      { text: 'ok' },
    )
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    writeFileSync(join(place.cwd, '.parley/hooks/guard.sh'), 'exit 0')
    await watched.send('again')
    await watched.turnEnded()
    expect(existsSync(join(place.cwd, 'out'))).toBe(false)
  })

  it('that names the project itself does not run once its file has changed there', async () => {
    await using place = testPlace()
    mkdirSync(join(place.cwd, '.parley'))
    place.write('check.sh', 'echo "not in this project" >&2; exit 2')
    place.write('.parley/config.toml', config.replace('sh .parley/hooks/guard.sh', 'sh $PARLEY_PROJECT_DIR/check.sh'))
    await trust(place)
    const call = { calls: runs('echo x >> out') }
    const model = scriptedModel(call, { text: 'ok' }, call, { text: 'ok' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(existsSync(join(place.cwd, 'out'))).toBe(false)
    place.write('check.sh', 'touch "$PARLEY_PROJECT_DIR"/evil')
    await watched.send('again')
    await watched.turnEnded()
    expect(existsSync(join(place.cwd, 'evil'))).toBe(false)
    const ran = watched.events.flatMap(({ event }) => (event.type === 'hook.ran' ? [event] : []))
    expect(ran.at(-1)).toMatchObject({
      outcome: 'failed',
      reason: expect.stringContaining('check.sh has changed since it was trusted'),
    })
  })
})
