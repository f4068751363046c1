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
 * Lists the paths of the programs that the settings start, from each writable folder, and of the scripts that these are given, wherever they lie and
 * whether they exist. Folders are left out: they are what a program works on.
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
