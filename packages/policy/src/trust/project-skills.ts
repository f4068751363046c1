import { join, relative } from 'node:path'
import { isMissing, orNull } from '@parley/text'
import { contentHash, liesWithin, systemErrorReason } from '@parley/workspace'
import type { ProgramFile } from './project-programs.ts'
import type { EntryKind, FoundPaths, ProjectTree, RootedTree } from './project-tree.ts'

/** Folders of skills below a project's root, and below the user's homes; each skill is a folder with a SKILL.md. */
export const skillFolders = ['.parley/skills', '.agents/skills', '.claude/skills'] as const

/** Folders of commands below a project's root, and below the user's homes; each command is an `.md` file. */
export const commandFolders = ['.parley/prompts', '.claude/commands'] as const

/** Limits of one skill, so that looking at a project stays short. */
const skillLimits = { files: 200, bytes: 16 * 1024 * 1024, perFolder: 500 } as const

/** Skill or command of a project: a folder or a file that the project brings beside its configuration. */
export interface ProjectSkill {
  readonly kind: 'skill' | 'command'
  readonly name: string
  /** Path of the folder or file, relative to the root, with links followed. */
  readonly path: string
  /** Hashes all its files anew, or returns why it cannot be trusted. */
  look(): SkillFiles
  /** Returns why it cannot be trusted, judged without reading its files; else null. */
  problem(): string | null
}

type SkillFiles = { readonly files: readonly ProgramFile[] } | { readonly problem: string }

/** Lists the skills and commands of a project without reading them, each real folder or file once. */
export function listProjectSkills(root: string, tree: ProjectTree): readonly ProjectSkill[] {
  const rooted = { root, tree }
  const skills = skillFolders.flatMap((folder) => skillsIn(folder, 'skill', rooted))
  const commands = commandFolders.flatMap((folder) => skillsIn(folder, 'command', rooted))
  return [...new Map([...skills, ...commands].map((part) => [part.path, part])).values()]
}

function skillsIn(folder: string, kind: ProjectSkill['kind'], rooted: RootedTree): readonly ProjectSkill[] {
  const { root, tree } = rooted
  return namesIn(join(root, folder), tree).flatMap((entry): ProjectSkill[] => {
    const name = kind === 'command' ? entry.replace(/\.md$/, '') : entry
    if (kind === 'command' && name === entry) return []
    const given = join(root, folder, entry)
    if (kind === 'skill' && entryAt(tree, join(given, 'SKILL.md')) === null) return []
    const real = realOf(given, tree)
    if (real === null) return []
    const isInside = liesWithin(real, root)
    const path = relative(root, isInside ? real : given)
    const out = { look: () => ({ problem: leadsOut }), problem: () => leadsOut }
    const part = { path, kind, ...rooted }
    const inside = { look: () => lookAt(part), problem: () => problemAt(part) }
    return [{ kind, name, path, ...(isInside ? inside : out) }]
  })
}

const leadsOut = 'it is a link out of the project'

function realOf(path: string, tree: ProjectTree): string | null {
  return orNull(() => tree.real(path))
}

function namesIn(folder: string, tree: ProjectTree): readonly string[] {
  const entries = orNull(() => tree.list(folder)) ?? []
  const names = entries.flatMap(({ name }) => (name.startsWith('.') ? [] : [name]))
  return names.toSorted().slice(0, skillLimits.perFolder)
}

interface SkillPlace extends RootedTree, Pick<ProjectSkill, 'path' | 'kind'> {}

/** Lists the files of a part, relative to the root. */
function pathsAt({ root, path, kind, tree }: SkillPlace): FoundPaths {
  if (kind === 'command') return { paths: [path] }
  const listed = listFiles(join(root, path), tree)
  return 'problem' in listed ? listed : { paths: listed.paths.map((file) => join(path, file)) }
}

function problemAt(place: SkillPlace): string | null {
  const { root, tree } = place
  const listed = pathsAt(place)
  if ('problem' in listed) return listed.problem
  const sizes = listed.paths.map((file) => entryAt(tree, join(root, file))?.sizeBytes ?? 0)
  return sizes.reduce((sum, size) => sum + size, 0) > skillLimits.bytes
    ? `it has more than ${skillLimits.bytes / 1024} KiB`
    : null
}

/** Looks at a file; null also where it cannot be read, as its reading will explain. */
function entryAt(tree: ProjectTree, path: string) {
  return orNull(() => tree.look(path))
}

type Looks = Map<string, { readonly state: string; readonly found: SkillFiles }>

/** Hashes of skills by their place, with the state of their files: each skill is looked at for every message. */
const looksIn = new WeakMap<ProjectTree, Looks>()
const mostLooks = 2000

/** Hashes the files of a skill, or returns the earlier hashes where every file has its earlier state. */
function lookAt(part: SkillPlace): SkillFiles {
  const { root, path, tree } = part
  const listed = pathsAt(part)
  if ('problem' in listed) return listed
  const looks: Looks = looksIn.get(tree) ?? new Map()
  looksIn.set(tree, looks)
  const place = join(root, path)
  // Each file is hashed once more when it is read for use.
  const state = listed.paths.map((file) => `${file}\0${entryAt(tree, join(root, file))?.state ?? ''}`).join('\n')
  const known = looks.get(place)
  if (known?.state === state) return known.found
  const found = hashed(part, listed.paths)
  if (looks.size >= mostLooks) looks.clear()
  // A problem may pass without a change of the file: it was not fetched yet, or may be read now.
  if ('files' in found) looks.set(place, { state, found })
  return found
}

function hashed({ root, tree }: RootedTree, paths: readonly string[]): SkillFiles {
  const files: ProgramFile[] = []
  const problems: string[] = []
  let leftBytes: number = skillLimits.bytes
  // All files are hashed, also after a problem, so that unfetched files are asked for together.
  for (const file of paths) {
    const hashed = tree.hash({ root, path: file, maxBytes: leftBytes, mustBeOwn: true })
    if ('problem' in hashed) problems.push(`${file}: ${hashed.problem}`)
    else {
      leftBytes -= hashed.sizeBytes
      files.push({ path: file, content: `sha256:${hashed.hash}` })
    }
  }
  const [problem] = problems
  return problem === undefined ? { files } : { problem }
}

/**
 * Lists the files of a skill's folder, relative to it and sorted. Links, also to folders, are refused with a sentence.
 */
export function listFiles(folder: string, tree: ProjectTree): FoundPaths {
  const paths: string[] = []
  const folders = ['']
  try {
    for (let below = folders.shift(); below !== undefined; below = folders.shift()) {
      for (const { name, kind } of tree.list(join(folder, below))) {
        const path = join(below, name)
        const problem = entryProblem(kind, path, { root: folder, tree })
        if (problem !== null) return { problem }
        const list = kind === 'folder' ? folders : paths
        list.push(path)
        if (list.length > skillLimits.files)
          return { problem: `it has more than ${skillLimits.files} files or folders` }
      }
    }
    return { paths: paths.toSorted() }
  } catch (error) {
    return { problem: isMissing(error) ? 'it is gone' : systemErrorReason(error) }
  }
}

function entryProblem(kind: EntryKind, path: string, within: RootedTree): string | null {
  if (kind === 'folder' || kind === 'file') return null
  return kind === 'link' ? linkProblem(path, within) : `${path} is no plain file`
}

function linkProblem(path: string, { root: folder, tree }: RootedTree): string {
  const real = realOf(join(folder, path), tree)
  const where = real !== null && liesWithin(real, tree.real(folder)) ? '' : ' out of the folder of the skill'
  return `${path} is a link${where}; put the file itself there`
}

/** Returns the hash of a text in the form that trust is bound to. */
export function hashOfText(text: string): string {
  return `sha256:${contentHash(text)}`
}

/** Tests if two lists name the same files with the same content. */
export function isSameContent(a: readonly ProgramFile[], b: readonly ProgramFile[]): boolean {
  const linesOf = (files: readonly ProgramFile[]) => files.map(({ path, content }) => `${path}\0${content}`).toSorted()
  return JSON.stringify(linesOf(a)) === JSON.stringify(linesOf(b))
}

/** Tests if a path is the path of a skill or command, or lies in it. */
export function belongsTo({ path }: Pick<ProjectSkill, 'path'>, file: string): boolean {
  return file === path || file.startsWith(`${path}/`)
}
