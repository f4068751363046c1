import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isLong } from '@parley/testkit/long-runs'
import { expect, test } from 'vitest'
import { type ExecWorld, execWorld } from './exec-world.ts'

const source = `
const finish = { type: 'finish', finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } }
exports.createEcho = ({ apiKey }) => ({
  getAvailableModels: async () => ({ models: [{ id: 'echo-1' }, { id: 'echo-2' }] }),
  languageModel: () => ({
    specificationVersion: 'v3',
    async doStream({ prompt }) {
      const words = prompt.at(-1).content.map(({ text }) => text).join(' ')
      const parts = [
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '0', delta: 'You said: ' + words + (apiKey === 'echo-key-0123' ? '' : ' (no key)') },
        { type: 'text-end', id: '0' },
        finish,
      ]
      return { stream: ReadableStream.from(parts) }
    },
  }),
})`

/** Packs a provider package whose install script would leave a file. */
async function packed(world: ExecWorld): Promise<void> {
  await mkdir(world.path('package'))
  const scripts = { install: `touch ${world.path('script-ran')}` }
  const about = { name: '@maker/echo', version: '1.2.3', main: 'index.js', scripts }
  await writeFile(world.path('package/package.json'), JSON.stringify(about))
  await writeFile(world.path('package/index.js'), source)
  expect(await world.shell('tar czf echo.tgz package')).toMatchObject({ exitCode: 0 })
}

test('a provider package is installed without its scripts, answers in a turn, and is removed', async () => {
  await using world = await execWorld()
  await packed(world)
  const asked = await world.parley('provider', 'add', './echo.tgz')
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') })
  const added = await world.shell('parley provider add ./echo.tgz --yes')
  expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('package = "@maker/echo"') })
  expect(added.stdout).toContain('# base_url = "https://…"')
  expect(added.stderr).toMatch(
    /package +@maker\/echo 1\.2\.3\n.*\ndependencies +0; install scripts of 1, which were not run/,
  )
  expect(added.stderr).toMatch(/integrity +sha512-/)
  expect(await readdir(world.cwd)).not.toContain('script-ran')
  const folder = join(world.env.PARLEY_HOME, 'providers', '@maker+echo')
  expect(await readFile(join(folder, 'package-lock.json'), 'utf8')).toContain('sha512-')
  await world.writeConfig(`
model_provider = "echo"
model = "any"
[model_providers.echo]
package = "@maker/echo"
env_key = "ECHO_KEY"
`)
  const env = { ...world.env, ECHO_KEY: 'echo-key-0123' }
  expect(await world.spawn(['hello there'], { env })).toMatchObject({ exitCode: 0, stdout: 'You said: hello there\n' })
  const models = await world.shell('export ECHO_KEY=echo-key-0123; parley provider models echo')
  expect(models).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^ +PROVIDER +MODEL\n +echo +echo-1\n +echo +echo-2\n$/),
  })
  expect(await world.parley('provider', 'remove', '@maker/echo')).toMatchObject({ exitCode: 0 })
  const missing = 'its package @maker/echo is not installed. `parley provider add @maker/echo` installs it.'
  expect((await world.parley('provider', 'list')).stdout).toContain(`echo cannot be used: ${missing}`)
  expect((await world.parley('provider', 'models', 'echo', '--kept', '--json')).stdout).toContain('"id":"echo-2"')
  const unlisted = await world.shell('export ECHO_KEY=1; parley provider models mistral')
  expect(unlisted).toMatchObject({
    exitCode: 8,
    stdout: 'No models are listed.\n',
    stderr: expect.stringContaining('MISTRAL_API_KEY'),
  })
  const { stderr } = await world.spawn(['hello again'], { env })
  expect(stderr).toContain('parley provider add @maker/echo')
})

test.runIf(isLong)(
  'packages that are added at once, or after one that was killed, leave one whole package',
  async () => {
    await using world = await execWorld()
    await packed(world)
    const folder = join(world.env.PARLEY_HOME, 'providers')
    const ended = await world.shell('sh -c "echo \\$\\$"')
    await mkdir(join(folder, `.new-${ended.stdout.trim()}-half`, 'node_modules'), { recursive: true })
    const add = 'parley provider add ./echo.tgz --yes'
    const added = await world.shell(`(${add} || echo FAILED) & (${add} || echo FAILED) & ${add}; wait`)
    expect(added.exitCode).toBe(0)
    expect(added.stdout).not.toContain('FAILED')
    expect(await readdir(folder)).toEqual(['@maker+echo'])
    expect(await readdir(join(folder, '@maker+echo'))).toEqual(
      expect.arrayContaining(['entry.mjs', 'package-lock.json']),
    )
  },
  60_000,
)

test('an address is no package to add', async () => {
  await using world = await execWorld()
  expect(await world.parley('provider', 'add', 'https://example.org/a.tgz', '--yes')).toMatchObject({ exitCode: 2 })
})

test('what npm does not hold to a checksum, and what has a link in it, is not installed', async () => {
  await using world = await execWorld()
  await packed(world)
  await mkdir(world.path('bin'))
  const lock = (entry: object) =>
    JSON.stringify({ packages: { '': { dependencies: { x: '1' } }, 'node_modules/x': { version: '1.0.0', ...entry } } })
  const run = async (script: string) => {
    await writeFile(world.path('bin/npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return world.shell(`PATH="${world.path('bin')}:$PATH"; parley provider add x --yes`)
  }
  const unchecked = await run(`echo '${lock({})}' > package-lock.json`)
  expect(unchecked).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('node_modules/x has no checksum') })
  const linked = await run(`echo '${lock({ integrity: 'sha512-x' })}' > package-lock.json; mkdir a; ln -s / a/root`)
  expect(linked).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('has a link (root)') })
  expect(await readdir(join(world.env.PARLEY_HOME, 'providers'))).toEqual([])
})

test('a package that is none, or a name that is none, changes nothing', async () => {
  await using world = await execWorld()
  expect(await world.shell('parley provider add ./missing.tgz --yes')).toMatchObject({ exitCode: 2 })
  expect(await world.parley('provider', 'remove', '../conversations')).toMatchObject({ exitCode: 2 })
  expect(await readdir(join(world.env.PARLEY_HOME, 'providers'))).toEqual([])
})
