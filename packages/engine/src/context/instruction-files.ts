import { join } from 'node:path'
import {
  type EnvironmentFiles,
  isSecret,
  liesWithin,
  readOpeningBytes,
  type SecretPaths,
  whenUnknown,
} from '@parley/workspace'
import type { InstructionFile } from '../core/instructions.ts'
import { instructionText, maxInstructionBytes } from './instruction-text.ts'

/** Names of instruction files: the first that a folder has counts. */
export const instructionFileNames = ['AGENTS.md', 'CLAUDE.md'] as const

interface FoundInstructions {
  readonly files: readonly InstructionFile[]
  /** Sentences for the user on what of them is left out. */
  readonly warnings: readonly string[]
}

/** Reads the instruction files of folders, in their order; none of a folder without one, or with an empty one. */
export async function readInstructionFiles(folders: readonly InstructionFolder[]): Promise<FoundInstructions> {
  const files = (await Promise.all(folders.map(readInstructionFile))).filter((file) => file !== null)
  return {
    files: files.filter(({ text }) => text.trim() !== ''),
    warnings: files.flatMap(({ warning }) => warning ?? []),
  }
}

/**
 * Returns the path of a folder's instruction file: AGENTS.md, or CLAUDE.md where there is no AGENTS.md; null for neither.
 * One that is there counts, also when it may not be read.
 */
export async function instructionFileIn(folder: string, files: EnvironmentFiles): Promise<string | null> {
  const paths = instructionFileNames.map((name) => join(folder, name))
  // Together: behind an exec-server each look takes a round trip.
  const kinds = await Promise.all(paths.map((path) => kindOf(path, files)))
  return paths.find((_, index) => kinds[index] !== null) ?? null
}

/** Folder to look in, with the folder that its file must lie in after links are resolved. */
interface InstructionFolder {
  readonly folder: string
  readonly within: string
  readonly files: EnvironmentFiles
  /** Places that it must not lie in. */
  readonly secrets: SecretPaths
}

/**
 * Reads an instruction file. Links out of `within` and to secrets are ignored: a repository could send other files of this
 * machine to the provider. What is opened is the place that was checked, whatever a command makes of the link meanwhile.
 */
async function readInstructionFile({
  folder,
  within,
  files,
  secrets,
}: InstructionFolder): Promise<(InstructionFile & { readonly warning: string | null }) | null> {
  const path = await instructionFileIn(folder, files)
  if (path === null) return null
  const [real, root] = await Promise.all([path, within].map((place) => files.realPath(place).catch(whenUnknown(null))))
  if (real === null || real === undefined || root === null || root === undefined || !liesWithin(real, root)) return null
  if (!isSecret(root, secrets) && [path, real].some((place) => isSecret(place, secrets))) return null
  const opening = await readOpeningBytes(files, real, maxInstructionBytes)
  return opening === null ? null : { path, ...instructionText(path, opening) }
}

/** Returns what a path leads to; null for nothing. One look, where resolving a path that is not there takes several. */
async function kindOf(path: string, files: EnvironmentFiles) {
  const found = await files.look(path).catch(whenUnknown(null))
  return found === null ? null : found.kind
}
