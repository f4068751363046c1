import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

/** Rewrites the header of the only log as one that a newer parley may have written, with its checksum. */
function raiseLog(home: string): void {
  const [log = ''] = globSync(join(home, 'sessions/*/*/*/*.jsonl'))
  const [header = '', ...lines] = readFileSync(log, 'utf8').split('\n')
  const { crc: _crc, ...fields } = JSON.parse(header)
  const body = JSON.stringify({ ...fields, format: 99, minReader: 99 }).slice(0, -1)
  const crc = crc32(body).toString(16).padStart(8, '0')
  writeFileSync(log, [`${body},"crc":"${crc}"}`, ...lines].join('\n'))
}

/** Hashes what people and newer programs keep in a home: caches, logs and lists that are made anew count for nothing. */
function contentsOf(home: string): readonly string[] {
  const files = globSync('**/*', { cwd: home, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort()
  return paths
    .filter((path) => !/\/(?:cache|logs)\/|\.lock$|\/sessions\/[^/]+\.jsonl$/.test(path))
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
}

describe('an older program over a home that a newer one has used', () => {
  test('shows conversations, goes on in none of them, and changes nothing', async () => {
    await using world = await execWorld({ steps: [{ text: 'One.' }, { text: 'Two.' }] })
    const home = world.env.PARLEY_HOME
    await world.exec(['the task'])
    raiseLog(home)
    mkdirSync(join(home, 'models'), { recursive: true })
    for (const name of ['trust/x.json', 'models/local.json', 'prompts.jsonl']) {
      mkdirSync(join(home, name, '..'), { recursive: true })
      writeFileSync(join(home, name), '{"version":99,"of":"a newer parley"}\n', { mode: 0o600 })
    }
    const before = contentsOf(home)
    expect(before.length).toBeGreaterThan(5)
    expect(await world.parley('list')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('the task') })
    expect(await world.parley('show')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('One.') })
    const resumed = await world.exec(['resume', '--last', 'more'])
    expect(resumed).toMatchObject({ exitCode: 9, stderr: expect.stringContaining('newer parley (log format 99)') })
    expect(contentsOf(home)).toEqual(before)
    expect(await world.exec(['a new task'])).toMatchObject({ exitCode: 0, stdout: 'Two.\n' })
    expect(contentsOf(home)).toEqual(expect.arrayContaining([...before]))
  })

  test('uses no keys of it, says so, and leaves them', async () => {
    await using world = await execWorld()
    const path = join(world.env.PARLEY_HOME, 'credentials.json')
    const content = '{"version":99,"entries":{"provider/local":{"sealed":"x"}}}'
    writeFileSync(path, content, { mode: 0o600 })
    const newer = {
      exitCode: 2,
      stderr: expect.stringContaining('credentials.json: was written by a newer parley. Update'),
    }
    for (const words of ['exec hi', 'login status', 'logout local', 'uninstall --yes'])
      expect(await world.parley(...words.split(' ')), words).toMatchObject(newer)
    expect(await world.shell('parley login local <<<key')).toMatchObject(newer)
    expect(readFileSync(path, 'utf8')).toBe(content)
  })

  test('names the line of a setting that it does not know, and starts nothing', async () => {
    await using world = await execWorld()
    await world.writeConfig('sandbox_mode = "of-a-newer-parley"\n')
    expect(await world.exec(['hi'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/config\.toml:1: sandbox_mode/),
    })
    expect(world.model.requests).toEqual([])
  })
})
