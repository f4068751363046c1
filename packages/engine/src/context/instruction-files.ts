import { join } from 'node:path'
import { countedNoun } from '@parley/text'
import {
  type EnvironmentFiles,
  type FileOpening,
  formatBytes,
  isSecret,
  liesWithin,
  readOpeningBytes,
  type SecretPaths,
  whenUnknown,
} from '@parley/workspace'
import type { InstructionFile } from '../core/instructions.ts'

/** Names of instruction files: the first that a folder has counts. */
export const instructionFileNames = ['AGENTS.md', 'CLAUDE.md'] as const

/**
 * Reads the instruction files of folders, in their order; no file of a folder without one, or with an empty one. The
 * warnings tell the user about omissions.
 */
export async function readInstructionFiles(
  folders: readonly InstructionFolder[],
): Promise<{ readonly files: readonly InstructionFile[]; readonly warnings: readonly string[] }> {
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
 * machine to the provider. The checked place is opened, even if a command changes the link meanwhile.
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
  return (await files.look(path).catch(whenUnknown(null)))?.kind ?? null
}

/** Bytes read of each instruction file; more would crowd out the conversation. */
const maxInstructionBytes = 64 * 1024

/**
 * Returns the text of an instruction file, as UTF-8 or as the UTF-16 that its first bytes announce. Text and warning name
 * omissions; the warning is null without one.
 */
function instructionText(
  path: string,
  { bytes, sizeBytes }: FileOpening,
): { readonly text: string; readonly warning: string | null } {
  const isCut = sizeBytes > bytes.length
  const decoded = isUtf16(bytes) ? fromUtf16(bytes) : bytes.toString('utf8')
  if (decoded.includes('\0')) {
    const warning = `${path} is no text of UTF-8 or UTF-16, so nothing of it is read as instructions.`
    return { text: '', warning }
  }
  if (!isCut) return { text: decoded, warning: null }
  const kept = wholeLines(decoded)
  const lines = kept.split('\n').length
  const size = formatBytes(sizeBytes)
  const shown = countedNoun(lines, 'line')
  return {
    text: `${kept}\n\n(This file has ${size}. Only its first ${shown} are here; the rest is left out.)`,
    warning: `${path} has ${size}: the model is given its first ${shown}, within ${formatBytes(maxInstructionBytes)}, and not the rest. Move what is needed seldom into files that it names.`,
  }
}

/** Tells if bytes begin with a byte order mark of UTF-16. */
export function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

function fromUtf16(bytes: Uint8Array): string {
  // Half a unit at a cut end is left out.
  const even = bytes.subarray(0, bytes.length - (bytes.length % 2))
  return new TextDecoder(even[0] === 0xfe ? 'utf-16be' : 'utf-16le').decode(even, { stream: true })
}

/** Returns a text up to the end of its last whole line; one line alone without a character that was cut. */
function wholeLines(text: string): string {
  const end = text.lastIndexOf('\n')
  return end > 0 ? text.slice(0, end).trimEnd() : text.replace(/\uFFFD+$/, '')
}
