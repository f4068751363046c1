import { join } from 'node:path'
import { projectConfigPath } from '@parley/config'
import { systemErrorReason } from '@parley/workspace'
import { projectFolderName } from './project-root.ts'
import type { ProjectTree, WantedFile } from './project-tree.ts'

/** Limit for configuration, which the user reads before trusting it. */
const maxFileBytes = 64 * 1024

export const projectPolicyPath = `${projectFolderName}/policy.toml`

/** File of a project. Read once, so that the judged, hashed and used content is the same. */
export interface ProjectFile {
  /** Path relative to the root. */
  readonly path: string
  readonly text: string
}

/**
 * Reads the configuration files of a project, with the reasons why existing ones were not read. Follows no link and does
 * not wait for pipes.
 */
export function readProjectFiles(
  root: string,
  tree: ProjectTree,
): { readonly files: readonly ProjectFile[]; readonly problems: readonly string[] } {
  const folder = lookAt(join(root, projectFolderName), tree)
  if (folder === null) return { files: [], problems: [] }
  if (typeof folder === 'string') return { files: [], problems: [`${projectFolderName} is not read: ${folder}.`] }
  const { stranger, kind } = folder
  if (stranger !== null)
    return { files: [], problems: [`${projectFolderName} is not read: it belongs to user ${stranger}.`] }
  if (kind !== 'folder')
    return { files: [], problems: [`${projectFolderName} is not read: it is no folder, and links are not followed.`] }
  const read = [projectConfigPath, projectPolicyPath].map((path) => ({
    path,
    ...readPlainFile({ root, path, maxBytes: maxFileBytes }, tree),
  }))
  return {
    files: read.flatMap(({ path, bytes }) =>
      bytes === undefined || !isText(bytes) ? [] : [{ path, text: bytes.toString('utf8') }],
    ),
    problems: read.flatMap(({ path, bytes, problem }) => {
      if (problem !== undefined) return [`${path} is not read: ${problem}.`]
      return bytes === undefined || isText(bytes) ? [] : [`${path} is not read: it is not UTF-8.`]
    }),
  }
}

/** Returns the reason why a path cannot be looked at; null when nothing is there. */
function lookAt(path: string, tree: ProjectTree) {
  try {
    return tree.look(path)
  } catch (error) {
    return systemErrorReason(error)
  }
}

/** Returns whether decoding keeps every byte, since the used text must be the hashed one. */
function isText(bytes: Buffer): boolean {
  return bytes.equals(Buffer.from(bytes.toString('utf8')))
}

/** Returns the content or a problem; neither when there is no such file. */
function readPlainFile(
  file: Omit<WantedFile, 'mustBeOwn'>,
  tree: ProjectTree,
): { readonly bytes?: Buffer; readonly problem?: string } {
  const chunks: Buffer[] = []
  const problem = tree.visit({ ...file, mustBeOwn: true }, (chunk) => chunks.push(Buffer.from(chunk)))
  return problem === null ? { bytes: Buffer.concat(chunks) } : problem === 'absent' ? {} : { problem }
}

/** Reads a plain text file below `root` that belongs to the user. */
export function readPlainText(
  file: Omit<WantedFile, 'mustBeOwn'>,
  tree: ProjectTree,
): { readonly text: string } | { readonly problem: string } {
  const { bytes, problem = 'it is gone' } = readPlainFile(file, tree)
  if (bytes === undefined) return { problem }
  return isText(bytes) ? { text: bytes.toString('utf8') } : { problem: 'it is not UTF-8' }
}
