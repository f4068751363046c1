import { createHash } from 'node:crypto'
import { type Dirent, lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isMissing, liesWithin, systemErrorReason } from '@parley/workspace'
import type { ProgramFile } from './project-programs.ts'
import { visitPlainFile } from './read-project-files.ts'

/** Folders below a project's root, and below the user's homes, whose folders with a SKILL.md are skills. */
export const skillFolders = ['.parley/skills', '.agents/skills', '.claude/skills'] as const

/** Folders below a project's root, and below the user's homes, whose `.md` files are commands. */
export const commandFolders = ['.parley/prompts', '.claude/commands'] as const

/** Limits of one skill, so that looking at a project stays short. */
const most = { files: 200, bytes: 16 * 1024 * 1024, perFolder: 500 } as const

/** Skill or command of a project: a folder or a file that the project brings beside its configuration. */
export interface BroughtPart {
  readonly kind: 'skill' | 'command'
  readonly name: string
  /** Path of the folder or file, relative to the root, with links followed. */
  readonly path: string
  /** Hashes all files of the part anew, or tells why it cannot be trusted. */
  look(): BroughtFiles
  /** Returns why it cannot be trusted, as far as that shows without reading its files; else null. */
  problem(): string | null
}

type BroughtFiles = { readonly files: readonly ProgramFile[] } | { readonly problem: string }

/** Lists the skills and commands of a project without reading them, each real folder or file once. */
export function listBrought(root: string): readonly BroughtPart[] {
  const skills = skillFolders.flatMap((folder) => partsIn(root, folder, 'skill'))
  const commands = commandFolders.flatMap((folder) => partsIn(root, folder, 'command'))
  return [...new Map([...skills, ...commands].map((part) => [part.path, part])).values()]
}

function partsIn(root: string, folder: string, kind: BroughtPart['kind']): readonly BroughtPart[] {
  return namesIn(join(root, folder)).flatMap((entry): BroughtPart[] => {
    const name = kind === 'command' ? entry.replace(/\.md$/, '') : entry
    if (kind === 'command' && name === entry) return []
    const given = join(root, folder, entry)
    if (kind === 'skill' && !isThere(join(given, 'SKILL.md'))) return []
    const real = realOf(given)
    if (real === null) return []
    const isInside = liesWithin(real, root)
    const path = relative(root, isInside ? real : given)
    const out = { look: () => ({ problem: leadsOut }), problem: () => leadsOut }
    const inside = { look: () => lookAt(root, path, kind), problem: () => problemAt(root, path, kind) }
    return [{ kind, name, path, ...(isInside ? inside : out) }]
  })
}

const leadsOut = 'it is a link out of the project'

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted()
      .slice(0, most.perFolder)
  } catch {
    return []
  }
}

/** Lists the files of a part, relative to the root. */
function pathsAt(root: string, path: string, kind: BroughtPart['kind']): Listed {
  if (kind === 'command') return { paths: [path] }
  const listed = listFiles(join(root, path))
  return 'problem' in listed ? listed : { paths: listed.paths.map((file) => join(path, file)) }
}

function problemAt(root: string, path: string, kind: BroughtPart['kind']): string | null {
  const listed = pathsAt(root, path, kind)
  if ('problem' in listed) return listed.problem
  const sizes = listed.paths.map((file) => lstatSync(join(root, file), { throwIfNoEntry: false })?.size ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0) > most.bytes ? `it has more than ${most.bytes / 1024} KiB` : null
}

/** Findings of parts by their place, with the state of their files; each part is looked at for every message. */
const looks = new Map<string, { readonly state: string; readonly found: BroughtFiles }>()
const mostLooks = 2000

/** Hashes the files of a part, or returns the hashes of before where no file has another state. */
function lookAt(root: string, path: string, kind: BroughtPart['kind']): BroughtFiles {
  const listed = pathsAt(root, path, kind)
  if ('problem' in listed) return listed
  const place = join(root, path)
  const state = listed.paths.map((file) => `${file}\0${stateOf(join(root, file))}`).join('\n')
  const known = looks.get(place)
  if (known?.state === state) return known.found
  const found = hashed(root, listed.paths)
  if (looks.size >= mostLooks) looks.clear()
  looks.set(place, { state, found })
  return found
}

/** Returns what changes with each write to a file. What is used of it is hashed once more as it is read. */
function stateOf(file: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? '' : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ')
}

function hashed(root: string, paths: readonly string[]): BroughtFiles {
  const files: ProgramFile[] = []
  let leftBytes: number = most.bytes
  for (const file of paths) {
    const hash = createHash('sha256')
    const wanted = { root, path: file, maxBytes: leftBytes, mustBeOwn: true }
    const problem = visitPlainFile(wanted, (chunk) => {
      leftBytes -= chunk.length
      hash.update(chunk)
    })
    if (problem !== null) return { problem: `${file}: ${problem}` }
    files.push({ path: file, content: `sha256:${hash.digest('hex')}` })
  }
  return { files }
}

type Listed = { readonly paths: readonly string[] } | { readonly problem: string }

/** Lists the files of a skill's folder, relative to it and sorted. Links, also to folders, are refused with a sentence. */
export function listFiles(folder: string): Listed {
  const paths: string[] = []
  const folders = ['']
  try {
    for (let below = folders.shift(); below !== undefined; below = folders.shift()) {
      for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
        const path = join(below, entry.name)
        const problem = entryProblem(folder, path, entry)
        if (problem !== null) return { problem }
        const list = entry.isDirectory() ? folders : paths
        list.push(path)
        if (list.length > most.files) return { problem: `it has more than ${most.files} files or folders` }
      }
    }
    return { paths: paths.toSorted() }
  } catch (error) {
    return { problem: isMissing(error) ? 'it is gone' : systemErrorReason(error) }
  }
}

function entryProblem(folder: string, path: string, entry: Dirent): string | null {
  if (entry.isDirectory() || entry.isFile()) return null
  return entry.isSymbolicLink() ? linkProblem(folder, path) : `${path} is no plain file`
}

function linkProblem(folder: string, path: string): string {
  const real = realOf(join(folder, path))
  const where = real !== null && liesWithin(real, realpathSync(folder)) ? '' : ' out of the folder of the skill'
  return `${path} is a link${where}; put the file itself there`
}

/** Returns the hash of a text of a part, as its trust is bound to it. */
export function hashOfText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** Tests if two lists name the same files with the same content. */
export function isSameContent(a: readonly ProgramFile[], b: readonly ProgramFile[]): boolean {
  const linesOf = (files: readonly ProgramFile[]) => files.map(({ path, content }) => `${path}\0${content}`).toSorted()
  return JSON.stringify(linesOf(a)) === JSON.stringify(linesOf(b))
}

/** Tests if a path is that of a part or lies in it. */
export function belongsTo({ path }: Pick<BroughtPart, 'path'>, file: string): boolean {
  return file === path || file.startsWith(`${path}/`)
}
