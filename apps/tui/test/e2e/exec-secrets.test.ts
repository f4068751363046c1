import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { secretCorpus } from '@parley/testkit'
import { expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

const corpus = secretCorpus('exec')
const all = corpus.map(({ text }) => text).join('\n')
// The value looks like no key; only the name of its variable does.
const key = 'the plain key of the provider'

function secretsIn(text: string): string[] {
  return [key, ...corpus.map(({ secret }) => secret)].filter((secret) => text.includes(secret))
}

test('neither the key of the provider nor any other secret is in a file, in what is shown or in a command', async () => {
  const steps = [
    { calls: [{ name: 'shell', arguments: { command: 'env; cat /proc/self/environ keys.txt' } }] },
    { text: `Here they are: ${all}`, chunks: 300 },
  ]
  // Files that are not ignored are kept exactly, for going back, as soon as there is time to read them.
  const files = { 'keys.txt': all, '.gitignore': 'keys.txt' }
  await using world = await execWorld({ steps, provider: 'env_key = "ODD_NAME"\n', files })
  const args = ['-s', 'danger-full-access', '--record', world.path('recording.jsonl'), '--json', `${all} ${key}`]
  const run = await world.spawn(args, { env: { ...world.env, ODD_NAME: key, NODE_OPTIONS: '--no-warnings' } })
  expect(run).toMatchObject({ exitCode: 0, stderr: '' })
  expect(run.stdout).toContain('[secret:ODD_NAME:')
  expect(run.stdout).not.toContain('NODE_OPTIONS')
  expect(secretsIn(run.stdout)).toEqual([])
  expect(secretsIn(readFileSync(world.path('recording.jsonl'), 'utf8'))).toEqual([])
  expect(secretsIn(JSON.stringify(world.model.requests.map(({ body }) => body)))).toEqual([])
  const written = readdirSync(world.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const logs = written.map(({ parentPath, name }) => join(parentPath, name))
  expect(logs.some((path) => path.endsWith('.jsonl'))).toBe(true)
  expect(logs.filter((path) => secretsIn(readFileSync(path, 'latin1')).length > 0)).toEqual([])
})
