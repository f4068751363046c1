import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runWithTerminal } from './run-with-terminal.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Text as the editor left it, or the reason why there is none. */
export type EditedText =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Returns the user's editor, which a shell reads: it may have arguments. */
export function editorOf(env: Environment): string {
  const chosen = [env['VISUAL'], env['EDITOR']].find((editor) => editor !== undefined && editor.trim() !== '')
  return chosen ?? 'vi'
}

/**
 * Opens the text in the user's editor, which has the terminal until it ends. The file is readable by this user only. Rejects
 * where it cannot be written.
 */
export async function editText(text: string, env: Environment): Promise<EditedText> {
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
