import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ExecWorld, execWorld } from './exec-world.ts'

const source = `
const finish = { type: 'finish', finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } }
exports.createEcho = ({ apiKey }) => ({
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
  const asked = await world.shell('parley provider add ./echo.tgz </dev/null')
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') })
  const added = await world.shell('parley provider add ./echo.tgz --yes')
  expect(added).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('package = "@maker/echo"') })
  expect(added.stderr).toMatch(
    /package +@maker\/echo 1\.2\.3\n.*\ndependencies +0; install scripts of 1, which were not run/,
  )
  expect(added.stderr).toMatch(/integrity +sha512-/)
  expect(await readdir(world.cwd)).not.toContain('script-ran')
  const folder = join(world.env.PARLEY_HOME, 'providers', 'maker__echo')
  expect(await readFile(join(folder, 'package-lock.json'), 'utf8')).toContain('sha512-')
  await world.writeConfig(`
model_provider = "echo"
model = "any"
[model_providers.echo]
package = "@maker/echo"
env_key = "ECHO_KEY"
`)
  const env = { ...world.env, ECHO_KEY: 'echo-key-0123' }
  expect(await world.exec(['hello there'], { env })).toMatchObject({ exitCode: 0, stdout: 'You said: hello there\n' })
  expect(await world.shell('parley provider remove @maker/echo')).toMatchObject({ exitCode: 0 })
  const { stderr } = await world.exec(['hello again'], { env })
  expect(stderr).toContain('parley provider add @maker/echo')
})

test('a package that is none, or a name that is none, changes nothing', async () => {
  await using world = await execWorld()
  expect(await world.shell('parley provider add ./missing.tgz --yes')).toMatchObject({ exitCode: 1 })
  expect(await world.shell('parley provider remove ../conversations')).toMatchObject({ exitCode: 2 })
  expect(await readdir(join(world.env.PARLEY_HOME, 'providers'))).toEqual([])
})
