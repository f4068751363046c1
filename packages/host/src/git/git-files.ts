import { userInfo } from 'node:os'
import { dirname, isAbsolute } from 'node:path'
import { statOrNull } from '../system/locked-files.ts'
import { commandOfSetting, commandsInEnv, programsIn } from './git-commands.ts'
import { type GitSetting, settingsInEnv, settingsInText } from './git-config-text.ts'
import { commonFolderOf, gitFoldersOf, pathFrom, readBounded } from './git-folder.ts'

/** Path that decides what git runs in a repository, whether it exists or not. Links in it are not followed yet. */
export interface GitPlace {
  readonly path: string
  readonly kind: 'repository' | 'gitHooks' | 'gitSettings' | 'gitCommands'
  /** True where a missing path keeps its name free: many commands name paths in other work trees. */
  readonly ifThere?: true
}

export interface GitSources extends Pick<GitSurroundings, 'home'> {
  /** Settings of the user and of the machine; a relative path of hooks in them applies to every repository. */
  readonly user: GitSettings
}

const settingFiles = ['config', 'config.worktree'] as const
/** Each path of hooks counts once for every folder that it may be relative to. */
const maxHookPlaces = 1000

/** Lists the paths that decide what git runs for `entry`, a folder or file named `.git`. */
export function gitPlaces(entry: string, sources: GitSources): GitPlace[] {
  const folder = gitFoldersOf(entry)?.own ?? null
  if (folder === null) return []
  const own: GitPlace[] = folder === entry ? [] : [{ path: folder, kind: 'repository' }]
  return [...own, ...placesOfFolder(folder, dirname(entry), sources)]
}

/**
 * Lists the paths that the folder of a repository leads to. Hooks start in the work tree, or in the folder without one.
 * Throws when its settings name too many paths.
 */
export function placesOfFolder(folder: string, workTree: string, sources: GitSources): GitPlace[] {
  const folders = [...new Set([folder, commonFolderOf(folder)])]
  const named = readGitSettings(
    folders.flatMap((at) => settingFiles.map((name) => `${at}/${name}`)),
    sources.home,
  )
  const starts = [workTree, folder, ...named.workTrees.map((path) => pathFrom(folder, path))]
  const hooks = [...new Set([...named.hooks, ...sources.user.hooks])]
  const monitors = [...new Set([...named.monitors, ...sources.user.monitors])]
  const programs = [...new Set([...named.programs, ...sources.user.programs])]
  if ((hooks.length + monitors.length + programs.length) * starts.length > maxHookPlaces)
    throw new Error(`The git settings in ${folder} name too many places of hooks and programs to follow`)
  return [
    ...folders.slice(1).map((path) => ({ path, kind: 'repository' as const })),
    ...folders.map((at) => ({ path: `${at}/commondir`, kind: 'repository' as const })),
    ...folders.map((at) => ({ path: `${at}/hooks`, kind: 'gitHooks' as const })),
    ...named.files.map((path) => ({ path, kind: 'gitSettings' as const })),
    ...placesFrom(starts, hooks).map((path) => ({ path, kind: 'gitHooks' as const })),
    ...placesFrom(starts, monitors)
      .filter((path) => !isFolder(path))
      .map((path) => ({ path, kind: 'gitCommands' as const })),
    ...placesFrom(starts, programs)
      .filter((path) => !isFolder(path))
      .map((path) => ({ path, kind: 'gitCommands' as const, ifThere: true as const })),
  ]
}

function placesFrom(starts: readonly string[], paths: readonly string[]): string[] {
  return [
    ...new Set(paths.flatMap((path) => (isAbsolute(path) ? [path] : starts.map((start) => pathFrom(start, path))))),
  ]
}

/** Lists the words of a command that are paths: its program, or the script that its program is to run. */
function pathsInCommand(command: string, home: string): string[] {
  const words = command.split(/[\s'"]+/).filter((word) => word.includes('/') && !word.startsWith('-'))
  return words.map((word) => expanded(word, home))
}

function isFolder(path: string): boolean {
  return statOrNull(path)?.isDirectory() === true
}

/** Home and variables that lead git to the settings of the user and of the machine. */
export interface GitSurroundings {
  readonly home: string
  /** Env of the user, which can name other settings of git. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Paths that git's settings name. Paths of files are absolute; paths of hooks and work trees may be relative. */
interface GitSettings {
  /** Settings files and all that they include, whether they exist and whether their condition holds now or not. */
  readonly files: readonly string[]
  /** Values of `core.hooksPath`. */
  readonly hooks: readonly string[]
  /** Paths in the values of `core.fsmonitor`, a command that git runs at the top of the work tree. */
  readonly monitors: readonly string[]
  /** Programs and scripts that git starts by other settings, such as aliases, filters and editors. */
  readonly programs: readonly string[]
  /** Values of `core.worktree`. */
  readonly workTrees: readonly string[]
  /** Values of `init.templateDir`. */
  readonly templates: readonly string[]
}

/** Depth of includes beyond which git stops with an error. */
const maxDepth = 10
const maxFiles = 200

/** Reads the settings of the user and of the machine: `files`, and what variables set. Throws as `readGitSettings`. */
export function readUserSettings(files: readonly string[], around: GitSurroundings): GitSettings {
  const { home, env = {} } = around
  const settings = readGitSettings(files, home, settingsInEnv(env))
  return {
    ...settings,
    hooks: [...settings.hooks, ...(env['GIT_TEMPLATE_DIR'] ? [env['GIT_TEMPLATE_DIR']] : [])],
    programs: [...settings.programs, ...programsOf(commandsInEnv(env), home)],
  }
}

/** Reads settings files, `given` settings and what both include. Throws a sentence for too many files. */
function readGitSettings(files: readonly string[], home: string, given: readonly GitSetting[] = []): GitSettings {
  const seen = new Set<string>()
  let all: readonly GitSetting[] = given.filter(({ value }) => value !== '')
  // git refuses a relative path of an include that no file holds.
  const includedByGiven = all.flatMap(({ name, value }) => (isInclude(name) ? [expanded(value, home)] : []))
  let level = [...files, ...includedByGiven.filter((path) => isAbsolute(path))]
  for (let depth = 0; depth <= maxDepth && level.length > 0; depth += 1) {
    const included: string[] = []
    for (const file of level.filter((path) => !seen.has(path))) {
      seen.add(file)
      if (seen.size > maxFiles)
        throw new Error(`The git settings in ${files[0] ?? file} include too many files to follow`)
      const settings = settingsInText(readBounded(file) ?? '').filter(({ value }) => value !== '')
      all = [...all, ...settings]
      for (const { name, value } of settings)
        if (isInclude(name)) included.push(pathFrom(dirname(file), expanded(value, home)))
    }
    level = included
  }
  const valuesOf = (wanted: string) => all.flatMap(({ name, value }) => (name === wanted ? [value] : []))
  const templates = valuesOf('init.templatedir').map((path) => expanded(path, home))
  return {
    files: [...seen],
    // Files in a template become the settings and hooks of new repositories.
    hooks: [...valuesOf('core.hookspath').map((path) => expanded(path, home)), ...templates],
    templates,
    monitors: valuesOf('core.fsmonitor').flatMap((command) => pathsInCommand(command, home)),
    programs: programsOf(
      all.flatMap((setting) => commandOfSetting(setting) ?? []),
      home,
    ),
    workTrees: valuesOf('core.worktree'),
  }
}

/** Lists the folders from which git fills new repositories by the settings of the user and the machine. */
export function templateFolders(around: GitSurroundings): readonly string[] {
  const { GIT_TEMPLATE_DIR: given } = around.env ?? {}
  const { templates } = readUserSettings(userGitFiles(around), around)
  return [...(given === undefined ? [] : [given]), ...templates].filter((path) => isAbsolute(path))
}

function programsOf(commands: readonly string[], home: string): string[] {
  return [...new Set(commands)].flatMap((command) => programsIn(command, home).map((path) => expanded(path, home)))
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

function isInclude(name: string): boolean {
  return name === 'include.path' || /^includeif\..+\.path$/s.test(name)
}

/** Replaces `~`, `~` with the name of a user, and `%(prefix)/`, where git is installed. */
function expanded(value: string, home: string): string {
  const path = value.replace(/^:\(optional\)/, '').replace(/^%\(prefix\)\//, '/usr/')
  const [start = '', ...rest] = path.split('/')
  if (!start.startsWith('~')) return path
  const folder = start === '~' ? home : homeOf(start.slice(1))
  return folder === null ? path : [folder, ...rest].join('/')
}

/** Returns the home of a user in the system's list, whatever HOME is; null for an unknown user. */
function homeOf(name: string): string | null {
  try {
    const own = userInfo()
    if (own.username === name) return own.homedir
  } catch {
    // A user id without a name.
  }
  const lines = readBounded('/etc/passwd')?.split('\n') ?? []
  return lines.map((line) => line.split(':')).find(([user]) => user === name)?.[5] ?? null
}
