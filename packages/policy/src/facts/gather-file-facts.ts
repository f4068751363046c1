import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { holdsSecrets, isSecret, type PlaceFiles, whenUnknown } from '@parley/workspace'
import type { PatchedFile, PatchFacts, ReadFacts, ReadPath } from '../decision/facts.ts'
import { realRoots } from './real-roots.ts'
import { rootOf, type Writable, writeProtections } from './write-protection.ts'

export interface FileSurroundings extends Writable {
  /** The conversation's folder, absolute. */
  readonly cwd: string
  /** Asks the machine on which the paths are. */
  readonly files: PlaceFiles
}

export interface PatchCall {
  readonly tool: string
  /** Every path the patch names, targets of moves too, as the model wrote them. */
  readonly paths: readonly string[]
  /** The exact text. */
  readonly patch: string
}

export async function gatherPatchFacts(call: PatchCall, given: FileSurroundings): Promise<PatchFacts> {
  const contentHash = `sha256:${createHash('sha256').update(call.patch).digest('hex')}`
  const around = await resolved(given)
  const files = await patchedFiles(call.paths, around)
  return { kind: 'patch', tool: call.tool, files, contentHash, cwd: around.cwd }
}

export interface ReadCall {
  readonly tool: string
  /** As the model wrote them. */
  readonly paths: readonly string[]
  /** Folders among them are read with all below. */
  readonly recursive: boolean
}

export async function gatherReadFacts(call: ReadCall, given: FileSurroundings): Promise<ReadFacts> {
  const around = await resolved(given)
  const paths = await Promise.all(call.paths.map((path) => readPath(path, call.recursive, around)))
  return { kind: 'read', tool: call.tool, paths, cwd: around.cwd }
}

async function resolved(given: FileSurroundings): Promise<FileSurroundings> {
  const [cwd = given.cwd] = (await realRoots([given.cwd], given.files)).slice(-1)
  return { ...given, cwd, roots: await realRoots(given.roots, given.files) }
}

async function readPath(path: string, below: boolean, around: FileSurroundings): Promise<ReadPath> {
  const { absolute, real, insideRoots } = await placed(path, around)
  const recursive = below && (await mayBeFolder(real, around.files))
  const secret =
    [absolute, real].some((place) => isSecret(place, around.secrets)) ||
    (recursive && (await holdsSecrets(real, around.secrets, around.files)))
  return { path, real, recursive, insideRoots, secret }
}

function mayBeFolder(path: string, files: PlaceFiles): Promise<boolean> {
  return files
    .look(path)
    .then(({ kind }) => kind === 'folder')
    .catch(whenUnknown(true))
}

/** Each is judged as it is written and by its real path. */
async function patchedFiles(paths: readonly string[], around: FileSurroundings): Promise<PatchedFile[]> {
  const places = await Promise.all(paths.map((path) => placed(path, around)))
  const both = places.flatMap(({ absolute, real }) => [absolute, real])
  const protections = await writeProtections(both, around)
  return places.map(({ real, insideRoots }, index) => {
    const protectedBy = protections[2 * index] ?? protections[2 * index + 1] ?? null
    return { path: paths[index] ?? '', real, insideRoots, protectedBy }
  })
}

/** A path that cannot be resolved (a loop of links, a folder that may not be searched) counts as outside. */
async function placed(path: string, { cwd, roots, files }: FileSurroundings) {
  const absolute = resolve(cwd, path)
  const real = await files.realPath(absolute).catch(whenUnknown(null))
  return { absolute, real: real ?? absolute, insideRoots: real !== null && rootOf(real, roots) !== null }
}
