import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { answer, place, ready, send } from './interactive-program.ts'

vi.setConfig({ testTimeout: 60_000 })

const shell = (command: string) => ({ calls: [{ name: 'shell', arguments: { command } }] })

test('a yes for always is on a key with its rule, is written down, and /why tells of it', async () => {
  await using at = await place([shell('touch made.txt'), shell('touch made.txt'), { text: 'Both done.' }])
  await using pty = at.start()
  await pty.waitFor(ready)
  await send(pty, 'go')
  await pty.waitFor(/r {2}always allow `touch made\.txt` \(everywhere, also unsandboxed\)\n/)
  await answer(pty, 'r', /command = \["touch", "made\.txt"\][\s\S]*r again or Enter adds it/)
  await answer(pty, 'r', /Both done\./)
  const file = join(at.home.env.PARLEY_HOME, 'policy.toml')
  expect(readFileSync(file, 'utf8')).toBe(
    '[[rule]]\ndecision = "allow"\ncommand = ["touch", "made.txt"]\nexact = true\n',
  )
  expect(pty.terminal.transcript().join('\n')).toMatch(
    /From now on allowed, in every folder, with or without a sandbox:\s+touch made\.txt/,
  )
  await send(pty, '/why')
  await pty.waitFor(/Why touch made\.txt[\s\S]*ran unasked[\s\S]*policy\.toml:1/)
  await send(pty, '/why 2')
  await pty.waitFor(/answer +.*: yes, and always/)
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
})
