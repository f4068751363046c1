import { isAbsolute, join } from 'node:path'
import { liesWithin } from '../../files/real-path.ts'
import { fitsGlob, type Glob, readGlob } from './read-glob.ts'

interface Scope {
  /** Real path of the working directory. */
  readonly cwd: string
  /** Real path of the file or folder that is searched. */
  readonly path: string
}

/** Files that globs choose. They count from the folder that is searched, and from the working directory. */
export interface WantedFiles {
  /** True where a file has to fit a glob, and is not only excluded by one. */
  readonly isChosen: boolean
  /** Tests a path as ripgrep prints it: relative to the working directory, or absolute. */
  isWanted(path: string): boolean
  /** Globs of names for ripgrep, so that it opens no other files; empty where any name may fit. */
  readonly names: readonly string[]
  /** Folders that contain all wanted files, where the globs name such; they may not exist. */
  readonly folders: readonly string[] | null
}

/** Reads globs; a leading `!` excludes, whatever its place. Returns a sentence for one that is not valid. */
export function readWantedFiles(globs: readonly string[], scope: Scope): WantedFiles | { readonly problem: string } {
  const read = globs.map((glob) => readOne(glob, scope))
  const problem = read.find((one) => 'problem' in one)
  if (problem !== undefined && 'problem' in problem) return problem
  const all = read.flatMap((one) => ('glob' in one ? [one] : []))
  const chosen = all.filter(({ excludes }) => !excludes).map(({ glob }) => glob)
  const excluded = all.filter(({ excludes }) => excludes).map(({ glob }) => glob)
  const fits = (glob: Glob, paths: readonly string[]) => paths.some((path) => fitsGlob(glob, path))
  return {
    isChosen: chosen.length > 0,
    isWanted(path) {
      const paths = pathsFrom(scope, path)
      if (excluded.some((glob) => fits(glob, paths))) return false
      return chosen.length === 0 || chosen.some((glob) => fits(glob, paths))
    },
    names: namesOf(chosen),
    folders: foldersOf(chosen, scope),
  }
}

function readOne(written: string, scope: Scope): { glob: Glob; excludes: boolean } | { problem: string } {
  const excludes = written.startsWith('!')
  const glob = readGlob(relativeGlob(excludes ? written.slice(1) : written, scope))
  return 'problem' in glob ? glob : { glob, excludes }
}

/** Returns an absolute glob relative to the searched folder, or to the working directory. */
function relativeGlob(glob: string, { cwd, path }: Scope): string {
  if (!isAbsolute(glob)) return glob
  const base = [path, cwd].find((folder) => glob.startsWith(`${folder}/`))
  return base === undefined ? glob : glob.slice(base.length)
}

/** Returns a path relative to both folders that globs count from. */
function pathsFrom({ cwd, path }: Scope, shown: string): readonly string[] {
  const absolute = isAbsolute(shown) ? shown : join(cwd, shown)
  const bases = path === cwd ? [cwd] : [path, cwd]
  return bases.flatMap((base) => (absolute.startsWith(`${base}/`) ? [absolute.slice(base.length + 1)] : []))
}

/** Returns globs of all names that may fit; an empty list where any name may. */
function namesOf(chosen: readonly Glob[]): readonly string[] {
  const names = chosen.flatMap(({ forms }) => forms.map(({ lastName }) => lastName))
  const isKnown = names.every((name) => name !== null)
  return isKnown ? [...new Set(names)] : []
}

/**
 * Returns the folders below the searched one that contain all fitting files; null where the globs name no such folders.
 */
function foldersOf(chosen: readonly Glob[], { cwd, path }: Scope): readonly string[] | null {
  const forms = chosen.flatMap((glob) => glob.forms)
  if (forms.length === 0 || forms.some(({ folders }) => folders.length === 0)) return null
  const found = forms.flatMap(({ folders }) => [join(path, ...folders), join(cwd, ...folders)])
  if (found.some((folder) => liesWithin(path, folder))) return null
  const below = [...new Set(found)].filter((folder) => liesWithin(folder, path)).sort()
  // A folder within another one is searched with it.
  return below.filter((folder) => !below.some((other) => other !== folder && liesWithin(folder, other)))
}
