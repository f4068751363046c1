import { expect, it } from 'vitest'
import { createShellParser } from '../../src/shell/parse-shell.ts'
import { shellParserFiles } from '../facts/test-folders.ts'

// In a file of its own: what the parsers share is made once in a process.
it('parsers that start at the same time read correctly and can be disposed', async () => {
  const shells = [1, 2, 3, 4].map(() => createShellParser(shellParserFiles))
  const scripts = shells.map((_, index) => Array.from({ length: 50 }, (__, at) => `echo ${index} ${at}`))
  const readings = await Promise.all(
    shells.map((shell, index) => Promise.all((scripts[index] ?? []).map((script) => shell.read(script)))),
  )
  expect(readings.map((read) => read.map(({ commands }) => commands?.[0]?.join(' ')))).toEqual(scripts)
  for (const shell of shells) shell[Symbol.dispose]()
})
