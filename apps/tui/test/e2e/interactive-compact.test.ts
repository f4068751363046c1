import { expect, test } from 'vitest'
import { place, pressUntil, ready, send } from './interactive-program.ts'

const long = 'word '.repeat(1200)
const pieces = ['## Goal\n', 'Half of a ', 'summary ', 'that ', 'never ', 'ends']
const halfway = { text: pieces.join(''), hang: 'mid', chunks: pieces } as const

test('/compact puts a summary in place of what was said, Esc stops it, and /compact undo takes it back', {
  timeout: 60_000,
}, async () => {
  await using at = await place([
    { text: `${long} the end.` },
    halfway,
    { text: '## Goal\nTidy the house.', chunks: 3 },
    { text: 'Going on.' },
    { text: 'All is back.' },
  ])
  await using pty = at.start()
  await pty.waitFor(ready)
  await send(pty, '/compact')
  await pty.waitFor(/nothing to compact/i)
  await send(pty, 'never touch main.ts')
  await pty.waitFor(/the end\.[\s\S]*› Ask anything/)
  await send(pty, '/compact')
  await pty.waitFor(/Half of/)
  await pressUntil(pty, 'Escape', /Not compacted: interrupted/)
  await pty.waitFor(ready)
  await send(pty, '/compact the rule about main.ts')
  await pty.waitFor(/Compacted: [\d,]+ tokens → [\d,]+ tokens[\s\S]*› Ask anything/)
  expect(at.model.requests[2]?.text).toContain('The user says what matters in it: the rule about main.ts')
  await send(pty, 'go on')
  await pty.waitFor(/Going on\./)
  expect(at.model.requests[3]?.text).toContain('message 1]\\nnever touch main.ts')
  expect(at.model.requests[3]?.text).not.toContain(long)
  await pty.waitFor(ready)
  await send(pty, '/compact undo')
  await pty.waitFor(/What was last left out of the model's view is back/)
  await send(pty, 'and now')
  await pty.waitFor(/All is back\./)
  expect(at.model.requests[4]?.text).toContain(long)
})
