import { createHash } from 'node:crypto'
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { McpServerConfig } from '../config/config-schema.ts'
import { liesWithin } from '../lookup/workspace-path.ts'
import { visitPlainFile } from './read-project-files.ts'

/** A server that is one file is large; anything larger is not read. */
const maxProgramBytes = 64 * 1024 * 1024

/** A file of the project that what it starts is, or is told of. Trust is bound to what it holds. */
export interface ProgramFile {
  /** Relative to the root. */
  readonly path: string
  /** Its content, or what else is there: nothing, a folder, a link that leads out. */
  readonly content: string
}

/**
 * Files of the project that an MCP server's words name: its program, wherever it is found, its arguments, and what its
 * variables mention. What these load in turn is not known.
 */
export function programFiles(root: string, section: McpServerConfig, searchPath: string): readonly ProgramFile[] {
  const { command, args = [], env = {}, cwd = '.' } = section
  if (command === undefined) return []
  const folder = resolve(root, cwd)
  const program = command.includes('/') ? resolve(folder, command) : foundOn(env['PATH'] ?? searchPath, folder, command)
  const words = [...args, ...Object.values(env)].flatMap((text) => [text, ...text.split(/[\s=:,;]+/)])
  const named = words.filter((word) => word !== '' && !word.startsWith('-')).map((word) => resolve(folder, word))
  const paths = [...(program === null ? [] : [program]), ...named]
  return [...new Set(paths.filter((path) => path !== root && liesWithin(path, root)))]
    .toSorted()
    .map((path) => ({ path: relative(root, path), content: contentOf(root, path) }))
}

/** What is there now; equal texts for equal content. */
export function contentOf(root: string, path: string): string {
  const absolute = resolve(root, path)
  let real: string
  try {
    real = realpathSync(absolute)
  } catch {
    return 'absent'
  }
  if (!liesWithin(real, root)) return `outside:${real}`
  if (statSync(real, { throwIfNoEntry: false })?.isDirectory() === true) return 'folder'
  const hash = createHash('sha256')
  const problem = visitPlainFile({ root, path: relative(root, real), maxBytes: maxProgramBytes }, (chunk) =>
    hash.update(chunk),
  )
  return problem === null ? `sha256:${hash.digest('hex')}` : `unreadable: ${problem}`
}

/** As the system looks for it: a relative folder of the search path is one of where it is started. */
function foundOn(searchPath: string, folder: string, name: string): string | null {
  const places = searchPath.split(':').map((place) => join(isAbsolute(place) ? place : resolve(folder, place), name))
  return places.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
