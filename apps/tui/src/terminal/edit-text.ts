import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EnvVariables } from '../cli/folders.ts'
import { runWithTerminal } from './run-with-terminal.ts'

/** Text from the editor, or the reason of a failure. */
export type EditedText =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Returns the user's editor, which a shell reads: it may have arguments. */
export function editorOf(env: EnvVariables): string {
  const chosen = [env['VISUAL'], env['EDITOR']].find((editor) => editor !== undefined && editor.trim() !== '')
  return chosen ?? 'vi'
}

/**
 * Opens the text in the user's editor, which has the terminal until it ends. Only this user can read the file. Rejects
 * if the file cannot be written.
 */
export async function editText(text: string, env: EnvVariables): Promise<EditedText> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-edit-'))
  const path = join(folder, 'message.md')
  try {
    await writeFile(path, text, { mode: 0o600 })
    const editor = editorOf(env)
    const problem = await runWithTerminal(['/bin/sh', '-c', `${editor} "$1"`, 'sh', path], { env })
    return problem === null
      ? { kind: 'edited', text: await readFile(path, 'utf8') }
      : { kind: 'failed', reason: `${editor}: ${problem}` }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
