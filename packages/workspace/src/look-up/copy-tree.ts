import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { makeOwnFolder } from '@parley/host'
import type { EnvironmentFiles } from '../files/environment-files.ts'
import { whenUnknown } from '../files/errors.ts'
import { liesWithin } from '../files/real-path.ts'
import { type IgnoreRules, ignoreRulesFor, readFolder, withRulesOf } from './read-folder.ts'
import { keptPaths } from './tracked-files.ts'

export interface CopyRequest {
  readonly files: EnvironmentFiles
  /** Real path; files keep their paths relative to it. */
  readonly cwd: string
  /** Real path of the file or folder to copy, `cwd` or below it. */
  readonly path: string
  readonly includeIgnored: boolean
  readonly signal?: AbortSignal
  readonly limits?: CopyLimits
}

export interface CopyLimits {
  readonly files: number
  /** Maximum size of a file; larger ones are left out. */
  readonly fileBytes: number
}

export interface TreeCopy extends AsyncDisposable {
  readonly folder: string
  /** True when the limit on the number of files was reached. */
  readonly truncated: boolean
}

/** Small, because each file costs one request to the exec-server. */
export const usualCopyLimits: CopyLimits = { files: 2000, fileBytes: 1024 * 1024 }
const filesAtOnce = 16

/** Copies the searchable files of an environment to this machine's disk. Disposing the copy removes it. */
export async function copyTree(request: CopyRequest): Promise<TreeCopy> {
  const { limits = usualCopyLimits, files, path, cwd } = request
  const isFolder = (await files.look(path)).kind === 'folder'
  const found = isFolder ? await filesBelow(request, limits.files) : { paths: [path], truncated: false }
  const folder = makeOwnFolder('search')
  // Ripgrep needs the folder even when no file in it was copied.
  if (isFolder) await mkdir(pathInCopy(folder, relative(cwd, path)), { recursive: true })
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    for (let start = 0; start < found.paths.length && request.signal?.aborted !== true; start += filesAtOnce) {
      const batch = found.paths.slice(start, start + filesAtOnce)
      await Promise.all(batch.map((from) => copyFile(from, pathInCopy(folder, relative(cwd, from)), { files, limits })))
    }
    return { folder, truncated: found.truncated, [Symbol.asyncDispose]: remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Throws for a file name from the exec-server that leads outside the copy. */
function pathInCopy(folder: string, name: string): string {
  const path = join(folder, name)
  if (liesWithin(path, folder)) return path
  throw new Error(`${name} lies outside of what is searched`)
}

interface Branch {
  readonly folder: string
  readonly rules: IgnoreRules | null
}

/** Lists files breadth first, so that the limit cuts off the deepest ones. */
async function filesBelow(request: CopyRequest, atMost: number) {
  const { files, path, cwd, includeIgnored, signal } = request
  const paths: string[] = []
  const kept = includeIgnored ? new Set<string>() : await keptPaths(path, files)
  const waiting: Branch[] = [{ folder: path, rules: includeIgnored ? null : await ignoreRulesFor(path, cwd, files) }]
  for (let next = waiting.shift(); next !== undefined && signal?.aborted !== true; next = waiting.shift()) {
    const inside = await readBranch(next, files, kept)
    for (const one of inside.paths) paths.push(one)
    if (paths.length > atMost) return { paths: paths.slice(0, atMost), truncated: true }
    for (const branch of inside.branches) waiting.push(branch)
  }
  return { paths, truncated: false }
}

async function readBranch({ folder, rules }: Branch, files: EnvironmentFiles, kept: ReadonlySet<string>) {
  const { entries } = await readFolder({ path: folder, rules, kept, files })
  const usable = entries.filter(({ name }) => isPlainName(name) && name !== '.git')
  const below = usable.filter(({ kind }) => kind === 'folder').map(({ name }) => join(folder, name))
  return {
    paths: usable.filter(({ kind }) => kind === 'file').map(({ name }) => join(folder, name)),
    branches: await Promise.all(
      below.map(async (path): Promise<Branch> => {
        return { folder: path, rules: rules === null ? null : await withRulesOf(path, rules, files) }
      }),
    ),
  }
}

function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0')
}

async function copyFile(
  from: string,
  to: string,
  { files, limits }: Required<Pick<CopyRequest, 'files' | 'limits'>>,
): Promise<void> {
  await using file = await files.open(from).catch(whenUnknown(null))
  if (file === null || file.kind !== 'file' || file.sizeBytes > limits.fileBytes) return
  await mkdir(dirname(to), { recursive: true })
  await writeFile(to, await file.read(0, limits.fileBytes), { mode: 0o600 })
}
