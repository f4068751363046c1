import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempWorkspace } from '@parley/testkit'
import { describe, expect, test } from 'vitest'
import { editorOf, editText } from '../../src/terminal/run-with-terminal.ts'

describe('a text in the editor of the user', () => {
  test('comes back as the editor leaves it, and its file is gone', async () => {
    await using workspace = await tempWorkspace({
      files: { 'ed.sh': 'printf "%s" "$2" > "$1"; stat -c %a "$2" >> "$1"; echo more >> "$2"' },
    })
    const seen = join(workspace.path, 'seen')
    const editor = `sh ${join(workspace.path, 'ed.sh')} ${seen}`
    expect(await editText('draft\n', { ...process.env, EDITOR: editor })).toEqual({
      kind: 'edited',
      text: 'draft\nmore\n',
    })
    const path = readFileSync(seen, 'utf8').slice(0, -'600\n'.length)
    expect(path).toMatch(/message\.md$/)
    expect(existsSync(path)).toBe(false)
  })

  test('is left as it was when the editor fails', async () => {
    expect(await editText('draft', { ...process.env, EDITOR: 'sh -c "exit 3" ' })).toEqual({
      kind: 'failed',
      reason: 'sh -c "exit 3" : it ended with 3',
    })
  })
})

test('the editor is $VISUAL, else $EDITOR, else vi', () => {
  expect([
    editorOf({ VISUAL: 'emacs', EDITOR: 'nano' }),
    editorOf({ VISUAL: ' ', EDITOR: 'nano' }),
    editorOf({}),
  ]).toEqual(['emacs', 'nano', 'vi'])
})
