import { closeSync, constants, fstatSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import { openUnlocked } from '../../system/locked-files.ts'
import { type GitSetting, settingsInText } from './git-config-text.ts'

/** Places in which git finds the settings of the user and of the machine. */
export interface GitSurroundings {
  /** Home of the user. */
  readonly home: string
  /** Env of the user, which can name other settings of git. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Paths that git's settings name. Those of files are absolute; those of hooks and work trees may be relative. */
export interface GitSettings {
  /** Settings files and all that they include, whether they exist and whether their condition holds now or not. */
  readonly files: readonly string[]
  /** Values of `core.hooksPath`. */
  readonly hooks: readonly string[]
  /** Values of `core.worktree`. */
  readonly workTrees: readonly string[]
}

/** Depth of includes beyond which git stops with an error. */
const maxDepth = 10
const maxFiles = 200

/** Reads settings files and what they include. Throws a sentence for too many files. */
export function readGitSettings(files: readonly string[], around: GitSurroundings): GitSettings {
  const seen = new Set<string>()
  const all: GitSetting[] = []
  let level = files
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth += 1) {
    const included: string[] = []
    for (const file of level.filter((path) => !seen.has(path))) {
      seen.add(file)
      if (seen.size > maxFiles)
        throw new Error(`The git settings in ${files[0] ?? file} include too many files to follow`)
      const settings = settingsInText(readBounded(file) ?? '').filter(({ value }) => value !== '')
      all.push(...settings)
      for (const { name, value } of settings)
        if (isInclude(name)) included.push(from(dirname(file), expanded(value, around)))
    }
    level = included
  }
  const valuesOf = (wanted: string) => all.flatMap(({ name, value }) => (name === wanted ? [value] : []))
  return {
    files: [...seen],
    hooks: valuesOf('core.hookspath').map((path) => expanded(path, around)),
    workTrees: valuesOf('core.worktree'),
  }
}

/** Lists the files of git's settings for the user and the machine. */
export function userGitFiles({ home, env = {} }: GitSurroundings): string[] {
  const { GIT_CONFIG_GLOBAL: ofUser, GIT_CONFIG_SYSTEM: ofSystem, XDG_CONFIG_HOME: folder } = env
  const named = [ofUser, ofSystem, folder === undefined ? folder : `${folder}/git/config`].filter(isNamed)
  return [...new Set([...named, `${home}/.config/git/config`, `${home}/.gitconfig`, ...machineFiles])]
}

function isNamed(path: string | undefined): path is string {
  return path !== undefined && isAbsolute(path)
}

const machineFiles = [
  '/etc/gitconfig',
  '/usr/local/etc/gitconfig',
  '/opt/homebrew/etc/gitconfig',
  '/Library/Developer/CommandLineTools/usr/share/git-core/gitconfig',
  '/Applications/Xcode.app/Contents/Developer/usr/share/git-core/gitconfig',
]

/** Completes a path without normalising it: a `..` behind a link leaves what the link leads to. */
export function from(folder: string, path: string): string {
  return isAbsolute(path) ? path : `${folder}/${path}`
}

function isInclude(name: string): boolean {
  return name === 'include.path' || /^includeif\..+\.path$/s.test(name)
}

/** Replaces `~/`, `~` with the user's own name, and `%(prefix)/`, where git is installed. */
function expanded(value: string, { home }: GitSurroundings): string {
  const path = value.replace(/^:\(optional\)/, '').replace(/^%\(prefix\)\//, '/usr/')
  const [start = '', ...rest] = path.split('/')
  if (start === '~' || (start.startsWith('~') && start.slice(1) === ownName())) return [home, ...rest].join('/')
  return path
}

function ownName(): string | null {
  try {
    return userInfo().username
  } catch {
    return null
  }
}

const maxBytes = 1024 * 1024

/** Reads a regular file; null for anything else. Never waits. Throws a sentence for a file that is too large. */
export function readBounded(path: string): string | null {
  let fd: number
  try {
    fd = openUnlocked(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) return null
    if (stats.size > maxBytes) throw new Error(`${path} is larger than 1 MiB, too large to find what git runs by it`)
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}
