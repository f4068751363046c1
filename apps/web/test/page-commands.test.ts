import { expect, test } from 'vitest'
import { commandChoices } from '../src/ui/composer/page-commands.ts'

const labels = (text: string) => commandChoices(text).map(({ label }) => label)

test('commands of the page complete what is written, and those of the terminal alone do not', () => {
  expect(labels('/')).toContain('/compact [what | undo]')
  expect(labels('/')).toContain('/rewind')
  expect(labels('/')).not.toContain('/theme [name]')
  expect(labels('/th')).toEqual([])
  expect(labels('/rena')).toEqual(['/name NAME'])
  expect(labels('say /he')).toEqual([])
})

test('arguments that are known complete a command', () => {
  expect(commandChoices('/effort mi')).toMatchObject([{ label: 'minimal', text: '/effort minimal' }])
  expect(labels('/sandbox ')).toEqual(['read-only', 'workspace-write', 'danger-full-access'])
})

test('commands that the page has like the terminal are offered', () => {
  for (const command of [
    '/init [what matters]',
    '/remember TEXT',
    '/ps [stop | type TEXT]',
    '/forward [[stop] PORT]',
    '/why [call]',
    '/hooks',
  ])
    expect(labels('/')).toContain(command)
})
