import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { place, ready, send, takeRow } from './interactive-program.ts'

/** An image of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('the composer', { timeout: 60_000 }, () => {
  test('completes the path of a file, and attaches an image that it names', async () => {
    await using at = await place([{ text: 'Seen.' }])
    writeFileSync(join(at.folder.path, 'shot of it.png'), png)
    await using pty = at.start()
    await pty.waitFor(/asks before every change/)
    pty.write('see @sho')
    await pty.waitFor(/▸ shot of it\.png/)
    pty.press('Tab')
    await pty.waitFor(/› see @"shot of it\.png"/)
    pty.press('Enter')
    await pty.waitFor(/Seen\./)
    expect(at.model.requests[0]?.text).toContain(`data:image/png;base64,${png.toString('base64')}`)
  })

  test('attaches an image whose path is dropped on the terminal', async () => {
    await using at = await place([{ text: 'Seen.' }])
    writeFileSync(join(at.folder.path, 'my shot.png'), png)
    await using pty = at.start()
    await pty.waitFor(/asks before every change/)
    pty.paste(`'${at.folder.path}/my shot.png' `)
    await pty.waitFor(/› \[image my shot\.png\]/)
    pty.press('Enter')
    await pty.waitFor(/Seen\./)
    expect(at.model.requests[0]?.text).toContain(`data:image/png;base64,${png.toString('base64')}`)
  })

  test('gives its text to the editor and takes it back', async () => {
    await using at = await place([{ text: 'Heard.' }])
    const editor = join(at.home.path, 'editor.sh')
    writeFileSync(
      editor,
      '#!/bin/sh\nprintf "the editor has the terminal\\n"\nread -r line\nprintf "%s" "$line" >> "$1"\n',
    )
    chmodSync(editor, 0o755)
    writeFileSync(join(at.home.path, 'start.sh'), `EDITOR=${editor} VISUAL= exec ${at.command()}\n`)
    await using pty = at.shell()
    pty.write(`. ${join(at.home.path, 'start.sh')}\r`)
    await pty.waitFor(/asks before every change/)
    pty.write('hello ')
    await pty.waitFor(/› hello/)
    pty.press('Ctrl+G')
    await pty.waitFor(/the editor has the terminal/)
    pty.write('from outside\r')
    await pty.waitFor(/› hello from outside/)
    pty.press('Enter')
    await pty.waitFor(/Heard\./)
    expect(at.model.requests[0]?.text).toContain('hello from outside')
  })

  test('goes back to an earlier message in a copy of the conversation', async () => {
    await using at = await place([{ text: 'First answer.' }, { text: 'Second answer.' }, { text: 'Third answer.' }])
    await using pty = at.start()
    await pty.waitFor(/asks before every change/)
    await send(pty, 'one question')
    await pty.waitFor(/First answer\./)
    await pty.waitFor(ready)
    await send(pty, 'another question')
    await pty.waitFor(/Second answer\./)
    await pty.waitFor(ready)
    for (;;) {
      pty.write('\x1b')
      try {
        await pty.waitFor(/Esc again/, { timeoutMs: 500 })
        pty.write('\x1b')
        await pty.waitFor(/Go on before a message/, { timeoutMs: 500 })
        break
      } catch {
        // Keys do nothing for a moment after the turn.
      }
    }
    await takeRow(pty, /Goes on before that message.*› another question/s)
    pty.write(', put better')
    await pty.waitFor(/› another question, put better/)
    pty.press('Enter')
    await pty.waitFor(/Third answer\./)
    const request = at.model.requests[2]?.text ?? ''
    expect(request).toContain('First answer.')
    expect(request).not.toContain('Second answer.')
    expect(request.match(/another question/g)).toHaveLength(1)
  })

  test('takes a message back that was just sent, and leaves by a word', async () => {
    const held = Promise.withResolvers<{ readonly text: string }>()
    await using at = await place([() => held.promise])
    await using pty = at.start()
    await pty.waitFor(/asks before every change/)
    await send(pty, 'too hasty')
    await at.model.nextRequest()
    await pty.waitFor(/esc/)
    pty.write('\x1b')
    await pty.waitFor(/› too hasty/)
    held.resolve({ text: 'late' })
    pty.press('Ctrl+C')
    await pty.waitFor(ready)
    pty.write('exit')
    await pty.waitFor(/› exit/)
    pty.press('Enter')
    expect(await pty.exited).toMatchObject({ exitCode: 0 })
  })

  test('searches what was sent in another conversation', async () => {
    await using at = await place([{ text: 'Done.' }])
    await using first = at.start('count the sheep')
    await first.waitFor(/Done\./)
    await first.waitFor(ready)
    first.press('Ctrl+D')
    await first.exited
    await using pty = at.start()
    await pty.waitFor(/asks before every change/)
    pty.write('\x12')
    await pty.waitFor(/\(search\)/)
    pty.write('sheep')
    await pty.waitFor(/› \(search\) sheep: count the sheep/)
    pty.press('Enter')
    await pty.waitFor(/› count the sheep/)
  })
})
