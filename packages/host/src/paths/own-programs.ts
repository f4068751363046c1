import { join, resolve } from 'node:path'
import { type StartedWord, startedIn, startedWords } from '../git/git-commands.ts'
import type { GitSurroundings } from '../git/git-files.ts'
import { followLinks, isWithin, lookAt } from '../system/real-path.ts'

/** Command that this program starts by its settings: words, or a line for a shell. */
export type StartedProgram = ({ readonly words: readonly string[] } | { readonly line: string }) & {
  /** Folder that relative words start from; a relative one counts from each writable folder. */
  readonly cwd: string
  /** PATH of the command; absent for the user's PATH. */
  readonly searchPath?: string
}

export interface OwnPrograms {
  /** Lists the commands that the settings of this program name. Called anew each time. */
  readonly programs?: () => readonly StartedProgram[]
}

/**
 * Lists the paths of the programs and scripts that the settings and the editor of the user start, whether they exist or
 * not. Relative paths, and names that the search path leads to, count from each writable folder. Leaves out folders: a
 * program only works on them.
 */
export function pathsOfPrograms(roots: readonly string[], user: OwnPrograms & GitSurroundings): readonly string[] {
  const { home, env = {}, programs } = user
  const editors = [env['VISUAL'], env['EDITOR']].flatMap((line) => (line === undefined ? [] : [{ line, cwd: '.' }]))
  const all: readonly StartedProgram[] = [...(programs?.() ?? []), ...editors]
  const isWritable = writableWithin(roots)
  const paths = all.flatMap((program) => {
    const { cwd, searchPath = env['PATH'] ?? '' } = program
    const folders = roots.map((root) => resolve(root, cwd))
    return startedByProgram(program, home).flatMap(({ word, isFile }) =>
      folders.flatMap((folder) =>
        isFile ? [resolve(folder, word)] : placesOfName(word, entriesOf(searchPath, folder), isWritable),
      ),
    )
  })
  return [...new Set(paths)].filter((path) => lookAt(followLinks(path).real)?.isDirectory() !== true)
}

/** Lists the programs that a command starts: paths, with the home in place of `~`, and names. */
export function startedByProgram(program: StartedProgram, home: string): readonly StartedWord[] {
  const started = 'line' in program ? startedIn(program.line, home) : startedWords(program.words, home)
  return started.map(({ word, isFile }) => ({ word: word.replace(/^~(?=\/)/, home), isFile }))
}

/** Lists where a name would be found in a writable folder before it is found elsewhere. */
function placesOfName(name: string, searchPath: readonly string[], isWritable: (folder: string) => boolean): string[] {
  if (!searchPath.some(isWritable)) return []
  const end = searchPath.findIndex(
    (at) => !isWritable(at) && lookAt(followLinks(join(at, name)).real)?.isFile() === true,
  )
  const before = end === -1 ? searchPath : searchPath.slice(0, end)
  return before.filter(isWritable).map((at) => join(at, name))
}

function entriesOf(searchPath: string, folder: string): string[] {
  return searchPath === '' ? [] : searchPath.split(':').map((entry) => resolve(folder, entry))
}

/** Returns a test of folders, as written or where they lead, that looks at each of them once. */
function writableWithin(roots: readonly string[]): (folder: string) => boolean {
  const known = new Map<string, boolean>()
  return (folder) => {
    const found =
      known.get(folder) ?? [folder, followLinks(folder).real].some((path) => roots.some((root) => isWithin(path, root)))
    known.set(folder, found)
    return found
  }
}
