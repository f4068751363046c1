import { resolve } from 'node:path'
import { type StartedProgram, startedByProgram } from '@parley/host'
import { settingsInForce } from '@parley/protocol'
import { type Environment, findProgram, liesWithin, whenUnknown } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import { workspaceOf } from './workspace-folders.ts'

/**
 * Throws for a program of the user in an environment that commands of the conversation may write to, or its script: it
 * runs outside the sandbox, and nothing guards it there. `what` names it in the sentence.
 */
export async function assertNotWritable(
  program: StartedProgram,
  what: string,
  {
    environment,
    conversation,
  }: { readonly environment: Environment; readonly conversation: Pick<Conversation, 'state'> },
): Promise<void> {
  const { state } = conversation
  const { files, home, env, rootsNow } = environment
  if (settingsInForce(state.core).sandbox === 'danger-full-access') return
  const { real: roots } = await rootsNow(workspaceOf(state).roots)
  const { cwd, searchPath = env['PATH'] ?? '' } = program
  const inside = await Promise.all(
    startedByProgram(program, home).map(async ({ word, isFile }) => {
      if (isFile) return (await isFileWithin(resolve(cwd, word), roots, files)) ? resolve(cwd, word) : null
      const { path, insideRoots } = await findProgram({ name: word, searchPath, cwd, roots, files })
      return insideRoots ? (path ?? word) : null
    }),
  )
  const found = inside.find((path) => path !== null)
  if (found === undefined) return
  throw new Error(
    `${found} lies where commands of the conversation may write, and ${what} runs there outside the sandbox. Keep its program elsewhere on that machine`,
  )
}

async function isFileWithin(path: string, roots: readonly string[], files: Environment['files']): Promise<boolean> {
  const real = await files.realPath(path).catch(whenUnknown(path))
  if (![path, real].some((one) => roots.some((root) => liesWithin(one, root)))) return false
  // A program works on a folder; it does not run it.
  return await files.look(real).then(({ kind }) => kind !== 'folder', whenUnknown(false))
}
