import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { slashCommands } from '@parley/presentation/commands/slash-commands'
import { runCli } from '@parley/testkit'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const sources = ['README.md', 'docs/*.md', '{apps,packages}/*/src/**/*.{ts,tsx}']

/** Finds the patterns in all that users may read, with where. */
function named(...patterns: readonly RegExp[]): { readonly where: string; readonly name: string }[] {
  return globSync(sources, { cwd: root }).flatMap((where) => {
    const text = readFileSync(`${root}/${where}`, 'utf8')
    return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => ({ where, name })))
  })
}

test('every command that a sentence names is one that parley has', async () => {
  const { stdout } = await runCli(['--help'])
  const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map(([, name]) => name)
  // Within a template the backtick is escaped; one that is not begins the template.
  const found = named(/\\`parley ([a-z][a-z-]*)/g, /'[^'`\n]*`parley ([a-z][a-z-]*)/g, /\(parley ([a-z][a-z-]*) /g)
  expect(found.length).toBeGreaterThan(20)
  expect(found.filter(({ name }) => !commands.includes(name))).toEqual([])
})

test('every slash command that a sentence names is one that the terminal has', () => {
  const commands: readonly string[] = slashCommands.map(({ name }) => name)
  const found = named(
    /\(\/([a-z]+) (?:in|begins)/g,
    /[ ,;]\/([a-z]+) (?:goes|shows|starts|uses|restart|trusts|asks|lists|lets)/g,
  )
  expect(found.length).toBeGreaterThan(8)
  expect(found.filter(({ name }) => !commands.includes(name))).toEqual([])
})
