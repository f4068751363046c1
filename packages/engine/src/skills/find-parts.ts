import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isSafe } from '@parley/config'
import {
  commandFolders,
  diskTree,
  hashOfText,
  listFiles,
  type Project,
  type ProjectSkill,
  type ProjectTree,
  readPlainText,
  skillFolders,
  trustedFiles,
} from '@parley/policy'
import { liesWithin, realOrGiven } from '@parley/workspace'
import { type PartText, readCommandText, readSkillText } from './part-text.ts'

/** Skill or command that was found, whether it can be used or not. */
export interface FoundPart {
  readonly kind: ProjectSkill['kind']
  readonly name: string
  readonly origin: 'user' | 'project'
  /** File with the instructions; absolute, with links followed. */
  readonly file: string
  /** Files of a skill besides its SKILL.md, relative to its folder. */
  readonly files: readonly string[]
  /** Reason why it cannot be used; null for one that can. */
  readonly problem: { readonly code: 'broken' | 'untrusted' | 'sameName'; readonly message: string } | null
  /** Required hashes of a project's files, by their absolute paths; null for files of the user. */
  readonly hashes: ReadonlyMap<string, string> | null
  /** Files that it is read from. */
  readonly tree: ProjectTree
  /** Content; null for a broken one, and for one that is not trusted. */
  readonly text: PartText | null
}

/** Skill or command that can be used. */
export interface UsablePart extends FoundPart {
  readonly text: PartText
}

export interface PartPorts {
  readonly home: string
  /** Variables of the user, for their home. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Largest SKILL.md and command, in bytes. */
const maxPartBytes = 64 * 1024

/** Reads the skills and commands of the user and of a project. Where a name is used twice, the user's comes first. */
export function findParts(project: Project | null, { home, env }: PartPorts): readonly FoundPart[] {
  if (isSafe(home)) return []
  const own = ownFolders(home, env['HOME']).flatMap(({ folder, kind }) => partsOfUser(folder, kind))
  const brought = project === null ? [] : project.skills.map((part) => partOfProject(project, part))
  return namedOnce([...new Map([...own, ...brought].map((part) => [part.file, part])).values()])
}

export function usable(parts: readonly FoundPart[]): readonly UsablePart[] {
  return parts.flatMap((part) => (part.problem === null && part.text !== null ? [{ ...part, text: part.text }] : []))
}

function ownFolders(home: string, userHome: string | undefined) {
  const below = (folders: readonly string[], kind: ProjectSkill['kind']) =>
    folders.flatMap((folder) => {
      if (folder.startsWith('.parley/')) return [{ folder: join(home, folder.slice('.parley/'.length)), kind }]
      return userHome === undefined ? [] : [{ folder: join(userHome, folder), kind }]
    })
  return [...below(skillFolders, 'skill'), ...below(commandFolders, 'command')]
}

function partsOfUser(folder: string, kind: ProjectSkill['kind']): readonly FoundPart[] {
  return namesIn(folder).flatMap((entry): FoundPart[] => {
    const path = join(folder, entry)
    const isPart = kind === 'command' ? entry.endsWith('.md') : namesIn(path).includes('SKILL.md')
    return isPart ? [readPart({ kind, origin: 'user', path, tree: diskTree })] : []
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted()
  } catch {
    return []
  }
}

function partOfProject(project: Project, part: ProjectSkill): FoundPart {
  const path = join(project.root, part.path)
  const place = { kind: part.kind, origin: 'project', path, tree: project.tree } as const
  const trusted = trustedFiles(project, part)
  if (trusted !== null)
    return readPart(place, new Map([...trusted].map(([file, hash]) => [join(project.root, file), hash])))
  // Its files are not read: what nobody trusts may be of any size, and this is asked for each message.
  const broken = part.problem()
  const problem =
    broken !== null
      ? ({ code: 'broken', message: broken } as const)
      : ({ code: 'untrusted', message: untrusted[project.entry?.verdict ?? 'none'] } as const)
  const { kind, origin, tree } = place
  return { kind, name: part.name, origin, file: fileOf(place), files: [], problem, hashes: null, tree, text: null }
}

const untrusted = {
  none: 'you have not trusted it yet: `parley trust`, or /trust in the terminal',
  trusted: 'it is new or has changed since you trusted this project: `parley trust`, or /trust in the terminal',
  declined: 'you declined what this project brings; `parley trust` takes that back',
} as const

interface PartPlace {
  readonly kind: ProjectSkill['kind']
  readonly origin: FoundPart['origin']
  /** Folder of a skill, file of a command; of a project's with links followed. */
  readonly path: string
  readonly tree: ProjectTree
}

function fileOf({ kind, path }: Pick<PartPlace, 'kind' | 'path'>): string {
  return kind === 'skill' ? join(path, 'SKILL.md') : path
}

function readPart(place: PartPlace, hashes: FoundPart['hashes'] = null): FoundPart {
  const { kind, origin, tree } = place
  const path = origin === 'user' ? realOrGiven(place.path) : place.path
  const file = fileOf({ ...place, path })
  const given = basename(place.path)
  const name = kind === 'skill' ? given : given.replace(/\.md$/, '')
  const known = { kind, name, origin, file, hashes, tree }
  const broken = (message: string): FoundPart => {
    return { ...known, files: [], problem: { code: 'broken', message }, text: null }
  }
  const listed = kind === 'skill' ? listFiles(path, tree) : { paths: [] }
  if ('problem' in listed) return broken(listed.problem)
  const read = readPartFile(known, basename(file), maxPartBytes)
  if ('problem' in read) return broken(`${basename(file)}: ${read.problem}`)
  const text = kind === 'skill' ? readSkillText(read.text, name) : readCommandText(read.text, name)
  if ('problem' in text) return broken(text.problem)
  const files = listed.paths.filter((one) => one !== 'SKILL.md')
  return { ...known, name: text.name, files, problem: null, text }
}

/** Reads a file of a skill or command by its path in the folder. A project file must be the one that was trusted. */
export function readPartFile(
  { file, hashes, tree }: Pick<FoundPart, 'file' | 'hashes' | 'tree'>,
  path: string,
  maxBytes: number,
): ReturnType<typeof readPlainText> {
  const folder = dirname(file)
  const read = readPlainText({ root: folder, path, maxBytes }, tree)
  if ('problem' in read || hashes === null) return read
  return hashes.get(join(folder, path)) === hashOfText(read.text) ? read : { problem: 'it has just changed' }
}

/** Marks each skill or command that has the name of an earlier one; both kinds share their names. */
function namedOnce(parts: readonly FoundPart[]): readonly FoundPart[] {
  const first = new Map<string, FoundPart>()
  return parts.map((part) => {
    if (part.problem !== null) return part
    const known = first.get(part.name)
    if (known === undefined) {
      first.set(part.name, part)
      return part
    }
    return { ...part, problem: { code: 'sameName', message: `${known.file} has the same name and is used` } }
  })
}

/** Tells if commands in the sandbox cannot see the files of a skill: the home of parley is hidden from them. */
export function isHiddenFromCommands({ file }: Pick<FoundPart, 'file'>, home: string): boolean {
  return liesWithin(file, realOrGiven(home))
}
