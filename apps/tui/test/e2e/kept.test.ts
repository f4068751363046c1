import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { execWorld, fullAccess, shell } from './exec-world.ts'

describe('kept conversations', () => {
  test('are found by what was said and printed', async () => {
    await using world = await execWorld({
      steps: [shell('echo a ze""bra'), { text: 'It printed.' }, { text: 'Hello.' }],
    })
    await world.exec([...fullAccess, 'print the animal'])
    await world.exec(['greet me'])
    const found = await world.parley('search', 'zebra')
    expect(found).toMatchObject({ exitCode: 0, stderr: '' })
    expect(found.stdout).toMatch(/^\S+ {2}now +\S+ {2}print the animal\n {4}call \d+: .* zebra$/m)
    const [line = ''] = (await world.parley('search', '--json', 'ANIM', '"the animal"')).stdout.trimEnd().split('\n')
    expect(JSON.parse(line)).toMatchObject({ items: 1, excerpt: { from: 'user', words: 'anim' } })
    expect(await world.parley('search', 'gnu')).toMatchObject({ exitCode: 5, stdout: '', stderr: 'Nothing found.\n' })
    expect(await world.parley('search', 'zebra', '-C', '/')).toMatchObject({ exitCode: 5 })
    expect(await world.parley('search', '->')).toMatchObject({ exitCode: 2 })
  })

  test('are named, archived, put back and deleted with all that belongs to them', async () => {
    await using world = await execWorld({ steps: [shell('seq 9000'), { text: 'Counted.' }] })
    const { end } = await world.execJson([...fullAccess, 'count'])
    const id = end.conversationId
    expect(await world.parley('rename', id, 'the counting')).toMatchObject({ exitCode: 0 })
    expect((await world.parley('list')).stdout).toContain('the counting')
    await world.parley('archive', 'the counting')
    expect((await world.parley('list')).stdout).toBe('')
    expect((await world.parley('list', '--archived')).stdout).toContain('the counting')
    expect((await world.parley('search', 'counting', '--archived')).stdout).toContain('the counting')
    await world.parley('unarchive', id)
    expect((await world.parley('list')).stdout).toContain('the counting')
    const kept = await world.parley('delete', id)
    expect(kept).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--yes') })
    expect(await world.parley('delete', id, '--yes')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('is deleted'),
    })
    expect((await world.parley('list')).stdout).toBe('')
    expect(await world.parley('search', 'counting')).toMatchObject({ exitCode: 5 })
    const day = new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString().slice(0, 10)
    for (const ending of ['jsonl', 'files', 'checkpoint'])
      expect(existsSync(join(world.home, 'sessions', ...day.split('-'), `${id}.${ending}`))).toBe(false)
    expect(await world.parley('rename', 'nosuch', 'x')).toMatchObject({ exitCode: 5 })
  })
})
