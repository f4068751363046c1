import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { guardText } from '@parley/host'
import {
  type Environment,
  type EnvironmentFiles,
  holdsSecrets,
  isSecret,
  liesWithin,
  type SecretPaths,
  whenUnknown,
} from '@parley/workspace'
import type { PatchedFile, PatchFacts } from '../decision/kinds/patch.ts'
import type { JudgedReadPath, ReadFacts } from '../decision/kinds/read.ts'

export interface WritableRoots {
  /** Writable folders as absolute paths. */
  readonly roots: readonly string[]
  readonly secrets: SecretPaths
  /** Asks the machine that the paths are on. */
  readonly guardOf: Environment['guardOf']
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
  /** Exact text of the patch. */
  readonly patch: string
}

export async function gatherPatchFacts(call: PatchCall, given: FileSurroundings): Promise<PatchFacts> {
  const contentHash = `sha256:${createHash('sha256').update(call.patch).digest('hex')}`
  const around = await withRealFolders(given)
  const files = await judgePatchedFiles(call.paths, around)
  return { kind: 'patch', tool: call.tool, files, contentHash, cwd: around.cwd }
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

/** Judges each file both as it is written and by its real path. */
async function judgePatchedFiles(paths: readonly string[], around: FileSurroundings): Promise<PatchedFile[]> {
  const resolved = await Promise.all(paths.map((path) => resolvePath(path, around)))
  const both = resolved.flatMap(({ absolute, real }) => [absolute, real])
  const protections = await writeProtections(both, around)
  return resolved.map(({ real, insideRoots }, index) => {
    const protectedBy = protections[2 * index] ?? protections[2 * index + 1] ?? null
    return { path: paths[index] ?? '', real, insideRoots, protectedBy }
  })
}

/** Resolves a path. One that cannot be resolved (a loop of links, a locked folder) counts as outside the roots. */
async function resolvePath(path: string, { cwd, roots, files }: FileSurroundings) {
  const absolute = resolve(cwd, path)
  const real = await files.realPath(absolute).catch(whenUnknown(null))
  return { absolute, real: real ?? absolute, insideRoots: real !== null && rootOf(real, roots) !== null }
}

/** Returns why writing to each path needs approval even inside a writable folder, or null. */
async function writeProtections(
  paths: readonly string[],
  { roots, secrets, guardOf }: WritableRoots,
): Promise<readonly (string | null)[]> {
  const kinds = await guardOf(paths, roots)
  return paths.map((path, index) => {
    if (isSecret(path, secrets)) return 'lies where secrets are kept'
    const kind = kinds[index] ?? null
    return kind === null ? null : guardText(kind)
  })
}

/** Returns the innermost root that contains a path, or null. */
export function rootOf(path: string, roots: readonly string[]): string | null {
  const holding = roots.filter((root) => liesWithin(path, root)).sort((a, b) => b.length - a.length)
  return holding[0] ?? null
}
