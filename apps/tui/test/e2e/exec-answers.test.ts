import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

const questions = [
  { header: 'Database', text: 'Which database?', options: ['Postgres', 'SQLite'], other: true },
  { header: 'Extras', text: 'What else?', options: ['cache', 'queue'], multiple: true },
  { header: 'Name', text: 'Which name?' },
]
const asks = { calls: [{ name: 'ask_user', arguments: { questions } }] }

async function told(content: string) {
  await using world = await execWorld({ steps: [asks, { text: 'So be it.' }] })
  await writeFile(world.path('answers.json'), content)
  const run = await world.exec(['--answers', world.path('answers.json'), 'go'])
  const last = world.model.requests[1]?.text ?? ''
  return { run, told: last.slice(last.lastIndexOf('outcome') - 4), requests: world.model.requests.length }
}

test('exec answers the questions of the model from a file, by header or text, in any case', async () => {
  const found = await told(JSON.stringify({ database: 'SQLite', 'What else?': ['queue'], NAME: 'ada' }))
  expect(found.run).toMatchObject({ exitCode: 0, stdout: 'So be it.\n' })
  const answers = [
    { header: 'Database', answer: 'SQLite' },
    { header: 'Extras', answer: ['queue'] },
    { header: 'Name', answer: 'ada' },
  ]
  expect(found.told).toContain(JSON.stringify(JSON.stringify({ outcome: 'answered', answers })).slice(1, -1))
})

test('an answer of the file may be none of the options where the question takes others', async () => {
  expect((await told(JSON.stringify({ Database: 'DuckDB', Extras: [], Name: 3 }))).told).toContain('DuckDB')
})

test.each([
  ['has no answer', { Database: 'SQLite', Extras: [] }, 'no answer is given to \\\\\\"Name\\\\\\"'],
  ['has an answer that is no option', { Database: 'SQLite', Extras: ['x'], Name: 'a' }, 'is none of its options'],
  ['has two answers where one is taken', { Database: ['SQLite', 'x'], Extras: [], Name: 'a' }, 'takes one answer'],
])('questions are declined where the file %s, and the model learns why', async (_, answers, why) => {
  const found = await told(JSON.stringify(answers))
  expect(found.run.exitCode).toBe(0)
  expect(found.told).toContain('declined')
  expect(found.told).toContain(why)
})

test.each([
  ['no JSON', '{', 'it is no JSON'],
  ['no object', '[]', 'a JSON object is needed'],
  ['a value that is no answer', '{"a":{}}', '"a" has neither a text nor a list of texts'],
])('a file that is %s ends the run before it asks a model', async (_, content, why) => {
  const { run, requests } = await told(content)
  expect(run).toMatchObject({ exitCode: 2, stdout: '' })
  expect(run.stderr).toContain(why)
  expect(requests).toBe(0)
})

test('a file of answers that is not there ends the run', async () => {
  await using world = await execWorld({ steps: [] })
  expect(await world.exec(['--answers', '/nowhere/a.json', 'go'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('The answers in /nowhere/a.json cannot be used: no such file or directory.'),
  })
})
