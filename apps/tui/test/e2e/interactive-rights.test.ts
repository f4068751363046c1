import { expect, test } from 'vitest'
import { answer, place, ready } from './interactive-program.ts'

test('a command let out by an answer for the conversation says so, also after a resume', async () => {
  const out = { name: 'shell', arguments: { command: 'echo out', escalate: true, reason: 'to be let out' } }
  await using at = await place([{ calls: [out] }, { calls: [out] }, { text: 'Both done.' }])
  await using pty = at.start('go')
  await answer(pty, '2', /Both done\.[\s\S]*› Ask/)
  const marked = (rows: readonly string[]) =>
    rows.filter((row) => /\$ echo out · exit 0 · outside the sandbox/.test(row))
  expect(marked(pty.transcript())).toHaveLength(2)
  pty.press('Ctrl+D')
  await pty.exited
  await using again = at.start('resume', '--last')
  await again.waitFor(/Both done\./)
  await again.waitFor(ready)
  expect(marked(again.transcript())).toHaveLength(2)
})
