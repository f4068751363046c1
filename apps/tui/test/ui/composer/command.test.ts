import { expect, test } from 'vitest'
import { commandForKey } from '../../../src/ui/composer/command.ts'
import { decode, idleDecoder } from '../../../src/ui/keys/decoder.ts'

// biome-ignore format: a table
const keys: readonly (readonly [string, string, string])[] = [
  ['Ctrl+A', '\x01', 'lineStart'], ['Ctrl+E', '\x05', 'lineEnd'], ['Ctrl+K', '\x0b', 'killToLineEnd'], ['Ctrl+U', '\x15', 'killToLineStart'],
  ['Ctrl+Y', '\x19', 'yank'], ['Ctrl+W', '\x17', 'killBlankWordBefore'], ['Ctrl+_', '\x1f', 'undo'], ['Ctrl+_ (kitty)', '\x1b[45:95;6u', 'undo'],
  ['Ctrl+/ (kitty)', '\x1b[47;5u', 'undo'], ['Ctrl+_ (xterm)', '\x1b[27;6;95~', 'undo'], ['Ctrl+J', '\n', 'newline'],
  ['Shift+Enter (kitty)', '\x1b[13;2u', 'newline'], ['Shift+Enter (xterm)', '\x1b[27;2;13~', 'newline'], ['Alt+B', '\x1bb', 'wordLeft'],
  ['Alt+F', '\x1bf', 'wordRight'], ['Alt+D', '\x1bd', 'killWordAfter'], ['Alt+Backspace', '\x1b\x7f', 'killWordBefore'],
  ['Ctrl+Left', '\x1b[1;5D', 'wordLeft'], ['Up', '\x1b[A', 'up'], ['Home', '\x1bOH', 'lineStart'], ['Delete', '\x1b[3~', 'deleteAfter'],
]

test.each(keys)('%s asks for its command', (_, bytes, command) => {
  expect(decode(idleDecoder, bytes).events.map(commandForKey)).toEqual([{ kind: command }])
})

test('text and pastes go in, other keys are not the composer’s', () => {
  expect(decode(idleDecoder, 'ab\x1b[200~c\x1b[201~\r\x03\x1b[?1u').events.map(commandForKey)).toEqual([
    { kind: 'insert', text: 'ab' },
    { kind: 'paste', text: 'c' },
    null,
    null,
    null,
  ])
})
