import { createHash } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { type McpServerConfig, printable } from '@parley/config'
import { isMissing, isProgram, liesWithin, systemErrorReason } from '@parley/workspace'
import { visitPlainFile } from './read-project-files.ts'

/** Of all files of a project together: servers that are one file are large, and no more is read while somebody waits. */
const maxBytes = 128 * 1024 * 1024
const maxFiles = 200

/** A file of the project that what it starts is, or is told of. Trust is bound to what it holds. */
export interface ProgramFile {
  /** Relative to the root. */
  readonly path: string
  /** Its content, or what else is there: nothing, a folder, a link that leads out. */
  readonly content: string
}

export interface Programs {
  readonly files: readonly ProgramFile[]
  /** Why trust cannot be bound to all of them, so that there can be none. */
  readonly problem: string | null
}

/** What is there now of everything that the servers of a project name in it. What these files load in turn is not known. */
export function lookAtPrograms(root: string, servers: readonly McpServerConfig[], searchPath: string): Programs {
  const named = servers.flatMap((section) => namedFiles(root, section, searchPath))
  const paths = [...new Set(named.map((path) => relative(root, path)))].toSorted()
  if (paths.length > maxFiles) return { files: [], problem: `its tool servers name more than ${maxFiles} files` }
  let leftBytes = maxBytes
  const files: ProgramFile[] = []
  for (const path of paths) {
    const content = contentOf(root, path, leftBytes)
    if ('problem' in content)
      return { files: [], problem: `${printable(path)} cannot be looked at: ${content.problem}` }
    leftBytes -= content.sizeBytes
    files.push({ path, content: content.text })
  }
  return { files, problem: null }
}

/** The program, wherever it is found, and the words and variables that may be files. */
function namedFiles(root: string, section: McpServerConfig, searchPath: string): readonly string[] {
  const { command, args = [], env = {}, cwd = '.' } = section
  if (command === undefined) return []
  const folder = resolve(root, cwd)
  const program = command.includes('/') ? resolve(folder, command) : foundOn(env['PATH'] ?? searchPath, folder, command)
  const words = [...args, ...Object.values(env)].flatMap((text) => [text, ...text.split(/[\s=:,;]+/)])
  const named = words.filter((word) => word !== '' && !word.startsWith('-')).map((word) => resolve(folder, word))
  const paths = [...(program === null ? [] : [program]), ...named]
  return paths.filter((path) => path !== root && liesWithin(path, root))
}

/** Whether it still is what it was. */
export function isUnchanged(root: string, { path, content }: ProgramFile): boolean {
  const now = contentOf(root, path, maxBytes)
  return 'text' in now && now.text === content
}

type Content = { readonly text: string; readonly sizeBytes: number } | { readonly problem: string }

/** Equal texts for equal content. */
function contentOf(root: string, path: string, leftBytes: number): Content {
  let real: string
  try {
    real = realpathSync(resolve(root, path))
  } catch (error) {
    return isMissing(error) ? { text: 'absent', sizeBytes: 0 } : { problem: systemErrorReason(error) }
  }
  if (!liesWithin(real, root)) return { text: `outside:${real}`, sizeBytes: 0 }
  if (statSync(real, { throwIfNoEntry: false })?.isDirectory() === true) return { text: 'folder', sizeBytes: 0 }
  const hash = createHash('sha256')
  let sizeBytes = 0
  const problem = visitPlainFile({ root, path: relative(root, real), maxBytes: leftBytes }, (chunk) => {
    sizeBytes += chunk.length
    hash.update(chunk)
  })
  return problem === null ? { text: `sha256:${hash.digest('hex')}`, sizeBytes } : { problem }
}

/** As the system looks for it: a relative folder of the search path is one of where it is started. */
function foundOn(searchPath: string, folder: string, name: string): string | null {
  const places = searchPath.split(':').map((place) => join(isAbsolute(place) ? place : resolve(folder, place), name))
  return places.find(isProgram) ?? null
}
