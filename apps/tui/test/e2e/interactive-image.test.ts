import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { smallPng as png } from '@parley/testkit'
import { expect, test } from 'vitest'
import { place, ready } from './interactive-program.ts'

test('an image goes with the prompt of the command line, and stands below it', { timeout: 60_000 }, async () => {
  await using at = await place([{ text: 'A small one.' }])
  writeFileSync(join(at.folder.path, 'shot.png'), png)
  await using pty = at.start('-i', 'shot.png', 'what is this?')
  await pty.waitFor(/what is this\?[\s\S]*\[shot\.png\][\s\S]*A small one\./)
  await pty.waitFor(ready)
  expect(at.model.requests[0]?.text).toContain(`data:image/png;base64,${png.toString('base64')}`)
})

test('an image that is none gives the prompt back, and says why', { timeout: 60_000 }, async () => {
  await using at = await place([])
  await using pty = at.start('-i', 'a.txt', 'what is this?')
  await pty.waitFor(/a\.txt is not a PNG, JPEG, GIF or WebP image/)
  await pty.waitFor(/› what is this\?/)
})
