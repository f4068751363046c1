import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { execWorld } from './exec-world.ts'

test('skills are made, listed, checked, trusted and used in a script', async () => {
  const text = '---\nname: lint\ndescription: Lints.\n---\nLint all of it.\n'
  const steps = [{ text: 'None.' }, { text: 'Done.' }]
  await using world = await execWorld({ steps, files: { '.agents/skills/lint/SKILL.md': text } })
  const commands = join(world.env.PARLEY_HOME, 'prompts')
  mkdirSync(commands, { recursive: true })
  writeFileSync(join(commands, 'look.md'), 'Look at $1: !`cat $1`')
  writeFileSync(world.path('a.txt'), 'alpha')

  expect(await world.parley('skills', 'new', 'Ship it')).toMatchObject({ exitCode: 2 })
  expect((await world.parley('skills', 'new', 'ship', '--project')).stdout).toContain('parley trust')
  expect(await world.parley('skills', 'new', 'ship', '--project')).toMatchObject({ exitCode: 2 })
  expect((await world.parley('skills', 'list')).stdout).toMatch(
    /^\/look \(user\) +Look at.*\n\$lint \(project, not trusted\) .*\n\$ship \(project, not trusted\) /,
  )
  expect(await world.exec(['/lint'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('/lint cannot be used'),
  })

  const { hash } = JSON.parse((await world.parley('trust', '--json')).stdout)
  await world.parley('trust', '--yes', hash)
  expect(await world.exec(['/look a.txt'])).toMatchObject({ exitCode: 0 })
  expect(JSON.stringify(world.model.requests[0]?.body)).toContain('alpha')
  expect(await world.exec(['use $lint now'])).toMatchObject({ exitCode: 0 })
  expect(JSON.stringify(world.model.requests[1]?.body)).toContain('Lint all of it.')

  expect((await world.parley('skills', 'check')).exitCode).toBe(0)
  const made = world.path('.agents/skills/ship/SKILL.md')
  expect(readFileSync(made, 'utf8')).toContain('name: ship')
  symlinkSync('/etc/hostname', join(dirname(made), 'host'))
  const checked = await world.parley('skills', 'check')
  expect(checked).toMatchObject({ exitCode: 11, stdout: expect.stringContaining('host is a link out of the folder') })
})
