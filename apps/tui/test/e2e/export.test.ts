import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { execWorld, fullAccess, shell } from './exec-world.ts'

const talk = [shell('echo printed; exit 3'), { text: '# One\n\n<b>bold</b> **strong**' }]

test('a conversation is written as a page without scripts, as Markdown and as JSON', async () => {
  await using world = await execWorld({ steps: talk })
  await world.exec([...fullAccess, 'the first <task>'])
  const written = await world.parley('export', '-o', 'a.html')
  expect(written).toMatchObject({ exitCode: 0, stdout: `${world.path('a.html')}\n` })
  const page = await readFile(world.path('a.html'), 'utf8')
  expect(page).toContain('the first &lt;task&gt;')
  expect(page).toMatch(/<h2><span>One<\/span><\/h2>.*&lt;b&gt;bold.*<span class="bold">strong<\/span>/s)
  expect(page).toMatch(
    /<meta http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;; style-src &#x27;sha256-/,
  )
  expect(page).not.toMatch(/<script|javascript:|src=/)
  const { stdout: markdown } = await world.parley('export', '--last', '--md')
  expect(markdown).toMatch(/^# the first <task>\n.*## You\n\nthe first <task>\n/s)
  expect(markdown).toMatch(/```\n\$ echo printed; exit 3\nprinted\n```\n\nRan · ✗ exit 3/)
  const { stdout: json } = await world.parley('export', '--json', '--no-outputs')
  const { format, version, core, items } = JSON.parse(json)
  expect({ format, version, title: core.meta.title }).toEqual({
    format: 'parley-export',
    version: 1,
    title: 'the first <task>',
  })
  expect(items.map(({ item }: { item: { type: string } }) => item.type)).toEqual([
    'userMessage',
    'commandExecution',
    'agentMessage',
  ])
  expect(json).not.toContain('printed\\n')
})

test('damaged lines are counted where they are left out', async () => {
  await using world = await execWorld({ steps: [{ text: 'One.' }] })
  await world.exec(['the task'])
  const damage = 'f=$(find "$PARLEY_HOME/sessions" -name "*.jsonl" -path "*/20*"); sed -i "5s/.*/rubbish/" "$f"'
  const said = 'event of the log is damaged and left out.'
  await world.shell(damage)
  expect(await world.parley('export', '--last', '--md')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`*1 ${said}*`),
    stderr: expect.stringContaining(`1 ${said}`),
  })
  expect(JSON.parse((await world.parley('export', '--last', '--json')).stdout)).toMatchObject({ damagedEvents: 1 })
  expect((await world.parley('export', '--last', '--html')).stdout).toContain(said)
})

test('a form that is not said, a conversation that is not there and a file that is are usage errors', async () => {
  await using world = await execWorld({ steps: [{ text: 'One.' }] })
  await world.exec(['the task'])
  await world.parley('export', '--md', '-o', 'a.md')
  const failures = [
    ['export', 2, 'Choose a form'],
    ['export --md --html', 2, 'Choose one of'],
    ['export nope --md', 5, 'no conversation "nope"'],
    ['export -o a.md', 2, 'exists already'],
    ['export -o no/a.md', 9, 'no such file or directory'],
  ] as const
  for (const [command, exitCode, said] of failures)
    expect(await world.parley(...command.split(' ')), command).toMatchObject({
      exitCode,
      stderr: expect.stringContaining(said),
    })
  expect(await world.shell('parley export --md >/dev/full')).toMatchObject({
    exitCode: 9,
    stderr: expect.stringContaining('stdout cannot be written to (ENOSPC'),
  })
})

test.each(['show', 'diff', 'export'])('%s asks a server that is named', async (command) => {
  await using world = await execWorld()
  await writeFile(world.path('token'), 'secret')
  const form = command === 'export' ? ['--md'] : []
  const run = await world.parley(command, ...form, '--server', 'ws://127.0.0.1:1', '--token-file', world.path('token'))
  expect(run.stderr).toContain('cannot connect to ws://127.0.0.1:1')
})
