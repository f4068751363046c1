import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { answer, place, ready, send } from './interactive-program.ts'

vi.setConfig({ testTimeout: 60_000 })

const outside = (command: string) => ({
  calls: [{ name: 'shell', arguments: { command, escalate: true, reason: 'git writes to .git' } }],
})

test('a rule from a question lets git commit leave the sandbox, and nothing that stands beside it', async () => {
  const commits = ['one', 'two'].map((message) => outside(`git commit -q --allow-empty -m ${message}`))
  const compound = outside('git commit -q --allow-empty -m three && touch made.txt')
  await using at = await place([...commits, compound, { text: 'All done.' }])
  const git = (...words: string[]) => execFileSync('git', words, { cwd: at.folder.path, encoding: 'utf8' })
  git('init', '-q')
  git('config', 'user.name', 'ada')
  git('config', 'user.email', 'ada@example.com')
  await using pty = at.start()
  await pty.waitFor(ready)
  await send(pty, 'go')
  await pty.waitFor(/always allow `git commit …` \(everywhere, outside the sandbox/)
  await answer(pty, 'r', /outside_sandbox = true[\s\S]*with all your rights[\s\S]*r again or Enter adds it/)
  // The second commit runs unasked; the question after it is about the two commands.
  await answer(pty, 'r', /git commit -q --allow-empty -m three && touch made\.txt/)
  expect(git('log', '--format=%s').trim().split('\n')).toEqual(['two', 'one'])
  expect(readFileSync(join(at.home.env.PARLEY_HOME, 'policy.toml'), 'utf8')).toBe(
    '[[rule]]\ndecision = "allow"\ncommand = ["git", "commit"]\noutside_sandbox = true\n',
  )
  expect(pty.terminal.screen().join('\n')).not.toContain('always allow')
  await answer(pty, 'y', /All done\./)
  await send(pty, '/why 2')
  await pty.waitFor(/rule:command git commit \(outside the sandbox\)[\s\S]*policy\.toml:1/)
  await send(pty, '/status')
  await pty.waitFor(/rule +git commit \(outside the sandbox\) runs unasked/)
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
})
