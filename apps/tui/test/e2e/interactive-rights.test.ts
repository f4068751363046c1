import { expect, test } from 'vitest'
import { answer, place, ready } from './interactive-program.ts'

test('a command that ran outside the sandbox says so, also after a resume', async () => {
  const out = { name: 'shell', arguments: { command: 'echo out', escalate: true, reason: 'to be let out' } }
  await using at = await place([{ calls: [out] }, { text: 'It is done.' }])
  await using pty = at.start('go')
  await answer(pty, 'y', /It is done\.[\s\S]*› Ask/)
  const marked = (rows: readonly string[]) => rows.filter((row) => /• Ran {2}echo out +outside the sandbox/.test(row))
  expect(marked(pty.terminal.transcript())).toHaveLength(1)
  pty.press('Ctrl+D')
  await pty.exited
  await using again = at.start('resume', '--last')
  await again.waitFor(/It is done\./)
  await again.waitFor(ready)
  expect(marked(again.terminal.transcript())).toHaveLength(1)
})
