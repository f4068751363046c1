import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EnvVariables } from '../cli/folders.ts'
import { startProgram } from '../processes/start-program.ts'

export type EditedText =
  | { readonly kind: 'edited'; readonly text: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Returns the user's editor, which a shell reads: it may have arguments. */
export function editorOf(env: EnvVariables): string {
  const chosen = [env['VISUAL'], env['EDITOR']].find((editor) => editor !== undefined && editor.trim() !== '')
  return chosen ?? 'vi'
}

/** Opens the text in the user's editor, in a file that only this user can read. Rejects if it cannot be written. */
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

/** Runs a program that has the terminal until it ends. Resolves to null after a success, else to the reason of the failure. */
export function runWithTerminal(
  argv: readonly string[],
  { cwd, env }: { readonly cwd?: string; readonly env: EnvVariables },
): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>()
  const options = { stdio: 'inherit', env: { ...env }, ...(cwd === undefined ? {} : { cwd }) } as const
  const child = startProgram(argv, options, resolve)
  child?.on('close', (exitCode, signal) =>
    resolve(exitCode === 0 ? null : `it ended with ${signal ?? exitWord(exitCode)}`),
  )
  return promise
}

/** Returns the exit code, or the name of the signal if the code is 128 plus a signal's number. */
function exitWord(exitCode: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number + 128 === exitCode)
  return signal?.[0] ?? String(exitCode)
}
