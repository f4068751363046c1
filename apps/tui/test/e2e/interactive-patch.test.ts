import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pty } from '@parley/testkit'
import { expect, test, vi } from 'vitest'
import { answer, backToQuestion, place, ready, send } from './interactive-program.ts'

vi.setConfig({ testTimeout: 60_000 })

const patch = [
  '*** Begin Patch',
  '*** Delete File: large.txt',
  '*** Update File: a.txt',
  '@@',
  '-one',
  '+uno',
  '*** Add File: z.sh',
  ...Array.from({ length: 60 }, (_, n) => `+echo line ${n}`),
  '*** End Patch',
].join('\n')

/** A question takes keys only once it can have been read; until then they are tried again. */
async function untilShown(isShown: () => boolean, pty: Pty): Promise<void> {
  await backToQuestion(pty)
  pty.write('v')
  await pty.waitFor(isShown, { timeoutMs: 700 }).catch(() => untilShown(isShown, pty))
}

test('a patch with a large deletion is asked about with every file, and the full view has every added line', async () => {
  await using at = await place([{ calls: [{ name: 'apply_patch', arguments: { patch } }] }, { text: 'Patched.' }])
  const path = (name: string) => join(at.folder.path, name)
  writeFileSync(path('large.txt'), 'a line that is removed\n'.repeat(40_000))
  await using pty = at.start()
  await pty.waitFor(ready)
  await send(pty, 'go')
  await pty.waitFor(/delete large\.txt \(\+0 −40000, 920000 bytes\)/)
  const question = pty.terminal.screen().join('\n')
  expect(question).toContain('change a.txt (+1 −1)')
  expect(question).toContain('add z.sh (+60 −0)')
  expect(question).toContain('v prints all')
  const all = () => pty.terminal.transcript().join('\n')
  expect(all()).not.toContain('+ echo line 30')
  // Printed in pieces: all lines have to come, not one of them.
  const added = Array.from({ length: 60 }, (_, n) => `+ echo line ${n}`)
  await untilShown(() => added.every((line) => all().includes(line)), pty)
  expect(all()).toMatch(/40000 removed lines not shown: 920000 bytes,\s+sha256:[0-9a-f]{64}/)
  await answer(pty, 'y', /Patched\./)
  expect(readFileSync(path('a.txt'), 'utf8')).toBe('uno\n')
  expect(existsSync(path('large.txt'))).toBe(false)
  pty.press('Ctrl+D')
  expect(await pty.exited).toMatchObject({ exitCode: 0 })
})
