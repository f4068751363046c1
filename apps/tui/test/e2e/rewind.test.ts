import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { execWorld, fullAccess, shell } from './exec-world.ts'

test('parley rewind lists points, shows a diff, takes files back, and is undone', async () => {
  await using world = await execWorld({
    steps: [
      { text: 'Hello.' },
      shell('printf "two\\n" > a.txt; printf "made\\n" > b.txt'),
      { text: 'Done.' },
      { text: 'SUMMARY.' },
    ],
  })
  await writeFile(world.path('a.txt'), 'one\n')
  const { end } = await world.execJson(['say hello'])
  await world.execJson(['resume', end.conversationId, ...fullAccess, 'change it'])
  expect(readFileSync(world.path('a.txt'), 'utf8')).toBe('two\n')
  const id = end.conversationId
  const listed = await world.parley('rewind', id)
  const [, to = ''] = /(\d+)\s+\S+\s+before: change it$/m.exec(listed.stdout) ?? []
  const points = await world.parley('fork', id)
  expect(points.stdout).toContain(listed.stdout.split('\n').find((line) => line.endsWith('before: change it')))
  expect(points.stdout).toMatch(/^ *\d+ {2}the whole conversation$/m)
  const shown = await world.parley('rewind', id, '--to', to)
  expect(shown).toMatchObject({ exitCode: 12, stdout: expect.stringContaining('-two\n+one\n') })
  expect(shown.stderr).toContain('Nothing was changed; --yes does it.')
  const done = await world.parley('rewind', id, '--to', to, '--both', '--yes')
  expect(done.exitCode).toBe(0)
  expect(readFileSync(world.path('a.txt'), 'utf8')).toBe('one\n')
  const [, undo = ''] = /--to (\d+) --yes` undoes that/.exec(done.stdout) ?? []
  const [, copy = ''] = /parley resume (\w+)/.exec(done.stdout.split('\n').at(-2) ?? '') ?? []
  expect((await world.parley('rewind', copy)).stdout).not.toContain('change it')
  await writeFile(world.path('b.txt'), 'mine\n')
  const kept = await world.parley('rewind', id, '--to', undo, '--yes')
  expect(kept.exitCode).toBe(12)
  expect(kept.stdout).toContain('! b.txt stays: it was changed since by somebody else than the model.')
  expect(readFileSync(world.path('a.txt'), 'utf8')).toBe('two\n')
  expect(readFileSync(world.path('b.txt'), 'utf8')).toBe('mine\n')
  const again = await world.parley('rewind', id, '--to', undo)
  expect(again).toMatchObject({ exitCode: 12, stdout: expect.stringContaining('! b.txt stays') })
  expect(await world.parley('rewind', id, '--to', to, '--summary', '--yes')).toMatchObject({ exitCode: 2 })
  const summed = await world.parley('rewind', id, '--to', to, '--talk', '--summary', '--yes')
  const [, other = ''] = /parley resume (\w+)/.exec(summed.stdout) ?? []
  expect((await world.parley('show', other)).stdout).toContain('SUMMARY.')
})

test('parley rewind refuses flags without a point, and names a point that is not there', async () => {
  await using world = await execWorld({ steps: [{ text: 'Hello.' }] })
  const { end } = await world.execJson(['say hello'])
  expect(await world.parley('rewind', end.conversationId, '--yes')).toMatchObject({ exitCode: 2 })
  expect(await world.parley('rewind', end.conversationId, '--to', '999')).toMatchObject({ exitCode: 5 })
})
