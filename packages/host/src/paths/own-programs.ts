import { resolve } from 'node:path'
import { followLinks, lookAt } from '../system/real-path.ts'
import { startedBy } from './git-commands.ts'

/** Command that this program starts by its settings, outside any sandbox. */
export interface StartedProgram {
  readonly words: readonly string[]
  /** Folder that relative words start from; a relative one counts from each writable folder. */
  readonly cwd: string
}

export interface OwnPrograms {
  /** Lists the commands that the settings of this program name. Called anew each time. */
  readonly programs?: () => readonly StartedProgram[]
}

/**
 * Lists the paths of the programs and scripts that the settings start, whether they exist or not. Relative ones count
 * from each writable folder. Folders are left out: they are what a program works on.
 */
export function pathsOfPrograms(
  roots: readonly string[],
  { home, programs }: OwnPrograms & { readonly home: string },
): readonly string[] {
  const paths = (programs?.() ?? []).flatMap(({ words, cwd }) =>
    startedBy(words, home).flatMap((word) => roots.map((root) => resolve(root, cwd, word))),
  )
  return [...new Set(paths)].filter((path) => lookAt(followLinks(path).real)?.isDirectory() !== true)
}
