import { basename, dirname, join, resolve } from 'node:path'
import { autoRunNote, guardText, rootOf } from '@parley/host'
import {
  contentHash,
  type Environment,
  type EnvironmentFiles,
  holdsSecrets,
  isSecret,
  type SecretPaths,
  type Standing,
  whenUnknown,
} from '@parley/workspace'
import { deceptions } from '../decision/kinds/deceptions.ts'
import type { PatchedFile, PatchFacts } from '../decision/kinds/patch.ts'
import type { JudgedReadPath, ReadFacts } from '../decision/kinds/read.ts'

export interface WritableRoots {
  /** Writable folders as absolute paths. */
  readonly roots: readonly string[]
  readonly secrets: SecretPaths
  /** Asks the machine that the paths are on. */
  readonly standingOf: Environment['standingOf']
}

export interface FileSurroundings extends WritableRoots {
  /** Folder of the conversation as an absolute path. */
  readonly cwd: string
  /** Files of the machine that the paths are on. */
  readonly files: EnvironmentFiles
}

interface PatchCall {
  readonly tool: string
  /** Every path the patch names, including targets of moves, as the model wrote them. */
  readonly paths: readonly string[]
  /** Deleted ones among `paths`; of a link, the link itself is deleted and not its target. */
  readonly deleted?: ReadonlySet<string>
  /** Exact text of the patch. */
  readonly patch: string
}

export async function gatherPatchFacts(call: PatchCall, given: FileSurroundings): Promise<PatchFacts> {
  const around = await withRealFolders(given)
  const files = await judgePatchedFiles(call, around)
  return { kind: 'patch', tool: call.tool, files, contentHash: `sha256:${contentHash(call.patch)}`, cwd: around.cwd }
}

interface ReadCall {
  readonly tool: string
  /** Paths as the model wrote them. */
  readonly paths: readonly string[]
  /** Reads folders with everything below them. */
  readonly recursive: boolean
}

export async function gatherReadFacts(call: ReadCall, given: FileSurroundings): Promise<ReadFacts> {
  const around = await withRealFolders(given)
  const paths = await Promise.all(call.paths.map((path) => judgeReadPath(path, call.recursive, around)))
  return { kind: 'read', tool: call.tool, paths, cwd: around.cwd }
}

async function withRealFolders(given: FileSurroundings): Promise<FileSurroundings> {
  const [cwd = given.cwd] = (await withRealPaths([given.cwd], given.files)).slice(-1)
  return { ...given, cwd, roots: await withRealPaths(given.roots, given.files) }
}

/** Returns the folders as given and resolved, since a path as written may lie in either. */
export async function withRealPaths(folders: readonly string[], files: EnvironmentFiles): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => files.realPath(folder).catch(whenUnknown(folder))))
  return [...new Set([...folders, ...real])]
}

async function judgeReadPath(path: string, below: boolean, around: FileSurroundings): Promise<JudgedReadPath> {
  const { absolute, real, insideRoots } = await resolvePath(path, around)
  const recursive = below && (await mayBeFolder(real, around.files))
  const secret =
    [absolute, real].some((one) => isSecret(one, around.secrets)) ||
    (recursive && (await holdsSecrets(real, around.secrets, around.files)))
  return { path, real, recursive, insideRoots, secret }
}

function mayBeFolder(path: string, files: EnvironmentFiles): Promise<boolean> {
  return files
    .look(path)
    .then(({ kind }) => kind === 'folder')
    .catch(whenUnknown(true))
}

/** Judges each file as written and by its real path; a deleted link also by its own place. */
async function judgePatchedFiles(
  { paths, deleted = new Set() }: PatchCall,
  around: FileSurroundings,
): Promise<PatchedFile[]> {
  const { cwd, roots, standingOf, files } = around
  const absolute = paths.map((path) => resolve(cwd, path))
  const names = await Promise.all(
    absolute.map((path, index) => (deleted.has(paths[index] ?? '') ? pathOfName(path, files) : path)),
  )
  const standings = await standingOf([...absolute, ...names], roots)
  return paths.flatMap((path, index) => {
    const standing = standings[index]
    const atName = standings[paths.length + index]
    if (standing === undefined || atName === undefined) return []
    return [judgedFile(path, { standing, atName, isDeleted: deleted.has(path), roots })]
  })
}

async function pathOfName(absolute: string, files: EnvironmentFiles): Promise<string> {
  return join(await files.realPath(dirname(absolute)).catch(whenUnknown(dirname(absolute))), basename(absolute))
}

interface JudgedName {
  readonly standing: Standing
  /** Standing of the name itself, links in its folder followed. */
  readonly atName: Standing
  readonly isDeleted: boolean
  readonly roots: readonly string[]
}

function judgedFile(path: string, { standing, atName, isDeleted, roots }: JudgedName): PatchedFile {
  const isLink = isDeleted && atName.real !== atName.written
  const protectedBy = protectionOf(standing) ?? (isDeleted ? protectionOf(atName) : null)
  const notes = isLink ? [...deletedLink(atName), ...deceptions(path)] : notesOn(path, standing)
  return {
    path,
    real: isLink ? atName.written : (standing.real ?? standing.written),
    insideRoots: isLink ? rootOf(atName.written, roots) !== null : standing.root !== null,
    protectedBy,
    ...(notes.length === 0 ? {} : { notes }),
  }
}

function deletedLink({ real }: Standing): readonly string[] {
  return [real === null ? 'is a link that leads in a circle' : `is a link to ${real}, which stays`]
}

/** Returns why a write needs approval even inside a writable folder, or null. */
function protectionOf({ guard, isSecret: holdsSecret }: Standing): string | null {
  if (holdsSecret) return 'lies where secrets are kept'
  return guard === null ? null : guardText(guard)
}

/** Returns the remark on a path that a link leads elsewhere. */
export function linkNote(real: string): string {
  return `leads to ${real}`
}

/** Returns further remarks of a question about a write, as ends of sentences that begin with the path. */
function notesOn(path: string, { real, written, names, guard }: Standing): string[] {
  const later = guard === null ? autoRunNote(real ?? written) : null
  return [
    ...(real !== null && real !== written ? [linkNote(real)] : []),
    ...(later === null ? [] : [`runs later: ${later}`]),
    ...(names > 1 ? [`has ${names} names (hard links), of which a patch changes this one`] : []),
    ...deceptions(path),
  ]
}

/** Resolves a path. One that cannot be resolved (a loop of links, a locked folder) counts as outside the roots. */
async function resolvePath(path: string, { cwd, roots, files }: FileSurroundings) {
  const absolute = resolve(cwd, path)
  const real = await files.realPath(absolute).catch(whenUnknown(null))
  return { absolute, real: real ?? absolute, insideRoots: real !== null && rootOf(real, roots) !== null }
}
