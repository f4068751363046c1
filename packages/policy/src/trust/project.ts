import { join } from 'node:path'
import {
  type Config,
  type ConfiguredHook,
  configuredHooks,
  isSafe,
  type Layer,
  type McpServerConfig,
  printable,
  projectConfigPath,
  projectLayer,
} from '@parley/config'
import { identityOf } from '@parley/host'
import type { Files } from '@parley/journal'
import type { EnvironmentFiles } from '@parley/workspace'
import { contentHash } from '@parley/workspace'
import { type Rule, type Rules, withoutAllowing } from '../decision/rules/rules.ts'
import { type PolicyFile, parsePolicyText } from '../policy-file/read-policy-file.ts'
import { createContentCaches } from './content-cache.ts'
import { readRemoteTree } from './fetched-tree.ts'
import { askForPrograms, hashPrograms, type Programs } from './project-programs.ts'
import { isParleyHome, projectRoot } from './project-root.ts'
import { belongsTo, isSameContent, listProjectSkills, type ProjectSkill } from './project-skills.ts'
import { diskTree, type ProjectTree } from './project-tree.ts'
import { type ProjectFile, projectPolicyPath, readProjectFiles } from './read-project-files.ts'
import {
  createTrustStore,
  readSharedOrOwn,
  type SharedPlace,
  type SharedTrust,
  type TrustEntry,
  writeShared,
} from './trust-store.ts'
import { readTrusted } from './trusted-copy.ts'

interface ProjectPlace {
  /** Real path, on the machine of the project. */
  readonly root: string
  /** Environment of the project's machine; null for this machine. */
  readonly environment: string | null
  /** Name that trust is bound to: the root, on another machine after the name of its environment. */
  readonly place: string
  /** Name of that machine where it connects by itself, behind its owner's; else null. */
  readonly machine: string | null
  /** Files that it was read from. */
  readonly tree: ProjectTree
  /** Device and inode of the root when the project was read. */
  readonly rootIdentity: string | null
}

/** Configuration of a project, read once. */
interface ProjectContent {
  readonly files: readonly ProjectFile[]
  /** Reasons why existing files were not read. */
  readonly problems: readonly string[]
  readonly servers: Readonly<Record<string, McpServerConfig>>
  readonly hooks: readonly ConfiguredHook[]
  /** Files of the project that its servers and hooks run or name; hashed at the first call. */
  programs(): Programs
  /** Hash of the configuration that would take effect; null when there is nothing that trust could be bound to. */
  hash(): string | null
  /** Skills and commands that it brings, which trust binds one by one. */
  readonly skills: readonly ProjectSkill[]
  /** Configuration above the user's own values. The caller applies it, and the rules, only to a trusted project. */
  layer(own: Config): Layer
  rules(own: Config): ProjectRules
}

/** Project with the user's decision about exactly this content. */
export interface Project extends ProjectPlace, ProjectContent {
  readonly state: 'untrusted' | 'changed' | 'trusted' | 'declined'
  readonly entry: TrustEntry | null
  /** True under `--safe`, where its rules allow nothing. */
  readonly isSafe: boolean
}

export interface Projects {
  /** Returns the project of a folder of this machine; null without a configuration, unless a trusted one was lost. */
  of(cwd: string): Project | null
  /**
   * Fetches the project of another machine, with all files that trust is bound to. Rejects with
   * `EnvironmentUnreachableError`, and where servers share decisions and this one cannot be known now.
   */
  remote(project: RemoteProject): Promise<Project | null>
  /** Keeps the decision about a project. Rejects with `DecisionTooLargeError`. */
  decide(project: Pick<Project, 'environment' | 'machine'>, entry: TrustEntry): Promise<void>
  /** True where decisions about projects of environments are in a store, for all of its servers. */
  readonly areShared: boolean
}

/** Root of a project of another machine, with facts of that machine. */
interface RemoteProject {
  /** Name of the environment. */
  readonly environment: string
  /** Name of the machine where it connects by itself, behind its owner's; else null. */
  readonly machine: string | null
  /** Text of the settings that reach the machine, to tell machines apart. */
  readonly reachedBy: string
  /** Real path. */
  readonly root: string
  readonly searchPath: string
  /** Home of the user there; its configuration folder does not belong to a project. */
  readonly userHome: string
  readonly files: EnvironmentFiles
}

interface ProjectPorts {
  /** Value of `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files: Files
  /** Decisions about projects of environments that other servers have, too; absent where no server shares them. */
  readonly shared?: SharedTrust | null
}

export function createProjects({ home, env, files, shared = null }: ProjectPorts): Projects {
  const store = createTrustStore(home, files)
  const contentsOf = createContentCaches()
  return {
    of(cwd) {
      const root = projectRoot(cwd)?.folder ?? null
      if (root === null || isParleyHome(root, home)) return null
      const here = { environment: null, machine: null, place: root, rootIdentity: identityOf(root), tree: diskTree }
      const ports = { entry: store.read(root), searchPath: env['PATH'] ?? '', isSafe: isSafe(home) }
      return readProject({ root, ...here }, ports)
    },
    async remote({ environment, machine, reachedBy, root, searchPath, userHome, files: filesThere }) {
      if (root === userHome) return null
      const place = `${environment}:${root}`
      // The sandbox there keeps to the real path of the root, which is resolved anew at each start.
      const found = { root, environment, machine, place, rootIdentity: null }
      // A decision in this server's own home is its operator's; it says nothing about a machine that has connected to
      // another process.
      const own = shared === null || machine === null ? store.read(place) : null
      const entry = shared === null ? own : await readSharedOrOwn(shared, sharedPlace(machine, place), own)
      const ports = { entry, searchPath, isSafe: isSafe(home) }
      const read = (tree: ProjectTree) => {
        const project = readProject({ ...found, tree }, ports)
        if (project !== null) readAll(project, searchPath)
        return project
      }
      return readRemoteTree(filesThere, read, contentsOf(JSON.stringify([environment, reachedBy])))
    },
    async decide({ environment, machine }, entry) {
      if (environment === null || shared === null) store.write(entry)
      else await writeShared(shared, sharedPlace(machine, entry.root), entry)
    },
    areShared: shared !== null,
  }
}

/**
 * Names a decision that servers share. The machine is part of the name, since its owner may decide, and other servers
 * may use the same name for other machines.
 */
function sharedPlace(machine: string | null, root: string): SharedPlace {
  return { name: JSON.stringify([machine, root]), root }
}

/** Reads everything that is needed later, because files of another machine cannot be read then. */
function readAll(project: Project, searchPath: string): void {
  const { root, tree, servers, hooks } = project
  askForPrograms({ root, tree, searchPath }, { servers: Object.values(servers), hooks })
  project.hash()
  readTrusted(project)
  for (const part of project.skills) {
    part.problem()
    part.look()
  }
}

function readProject(
  found: ProjectPlace,
  { entry, searchPath, isSafe: safe }: Pick<Project, 'isSafe' | 'entry'> & { readonly searchPath: string },
): Project | null {
  const { root, place, tree } = found
  const { files, problems } = readProjectFiles(root, tree)
  const skills = listProjectSkills(root, tree)
  const isEmpty = files.length === 0 && problems.length === 0
  const isGone = isEmpty && hadRules(entry)
  if (isEmpty && !isGone && skills.length === 0) return null
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? ''
  const layer = (own: Config) => projectLayer(textOf(projectConfigPath), own)
  // Without the user's own values, since the trusted content must not depend on them.
  const { mcp_servers: servers = {}, hooks: hookConfig } = layer({}).values
  const hooks = configuredHooks(hookConfig)
  let known: Programs | null = null
  const programs = () => {
    known ??= hashPrograms({ root, tree, searchPath }, { servers: Object.values(servers), hooks })
    return known
  }
  const hash = () => {
    const { files: looked, problem } = programs()
    if (problem !== null || (files.length === 0 && !isEmpty)) return null
    // JSON writes no two contents alike.
    return contentHash(JSON.stringify({ root: place, files, programs: looked }))
  }
  return {
    ...found,
    state: isGone ? 'changed' : stateOf(entry, files, hash),
    files,
    problems,
    servers,
    hooks,
    programs,
    hash,
    skills,
    entry,
    isSafe: safe,
    layer,
    rules: (own) =>
      projectRules(
        parsePolicyText(textOf(projectPolicyPath), join(root, projectPolicyPath)),
        Object.keys(layer(own).values.mcp_servers ?? {}),
      ),
  }
}

/** Returns whether the project had trusted rules. Their removal is reported, since they may have forbidden calls. */
function hadRules(entry: TrustEntry | null): boolean {
  return entry?.verdict === 'trusted' && entry.files.some(({ path }) => path === projectPolicyPath)
}

/**
 * Compares with the decision. Hashes programs only when the files are equal, so that an unknown project costs little.
 */
function stateOf(entry: TrustEntry | null, files: readonly ProjectFile[], hash: () => string | null): Project['state'] {
  if (entry === null) return 'untrusted'
  if (JSON.stringify(entry.files) === JSON.stringify(files) && entry.hash === hash()) return entry.verdict
  // A trusted project without readable files has no effect left to report.
  return entry.verdict === 'trusted' && files.length > 0 ? 'changed' : 'untrusted'
}

/**
 * Returns the hashes of the files of a skill or command by their paths in the project, where the user trusted it with
 * exactly these; else null.
 */
export function trustedFiles(
  { entry }: Pick<Project, 'entry'>,
  part: ProjectSkill,
): ReadonlyMap<string, string> | null {
  if (entry?.verdict !== 'trusted') return null
  const known = (entry.brought ?? []).filter(({ path }) => belongsTo(part, path))
  if (known.length === 0) return null
  const now = part.look()
  return 'files' in now && isSameContent(now.files, known) ? new Map(known.map((one) => [one.path, one.content])) : null
}

/** Returns the rules of a trusted project; any other project has no rules in force. */
export function trustedRules(project: Project | null, own: Config): Rules {
  if (project?.state !== 'trusted') return []
  const { rules } = project.rules(own)
  return project.isSafe ? withoutAllowing(rules) : rules
}

interface ProjectRules {
  readonly rules: Rules
  /** Rules of the file that do not apply, with the reasons. */
  readonly ignored: readonly string[]
}

/**
 * Selects the rules of a project that apply: all that deny or ask, and rules that allow commands, paths and tools of
 * its own servers. A project allows no whole tool and no tool of other servers.
 */
function projectRules({ rules, problems }: PolicyFile, ownServers: readonly string[]): ProjectRules {
  const rejected = rules.flatMap((rule) => {
    const why = rejectionOf(rule, ownServers)
    return why === null ? [] : [{ rule, why }]
  })
  return {
    rules: rules.filter((rule) => !rejected.some((one) => one.rule === rule)),
    ignored: shown([
      ...problems.map(({ line, message }) => `${location(line)}: ${message}. Its allow rules do not count.`),
      ...rejected.map(({ rule, why }) => `${location(rule.source.line)}: ${why}`),
    ]),
  }
}

const maxShown = 20

function shown(ignored: readonly string[]): readonly string[] {
  const more = ignored.length - maxShown
  return [...ignored.slice(0, maxShown).map(printable), ...(more > 0 ? [`${projectPolicyPath}: ${more} more.`] : [])]
}

function rejectionOf({ decision, target }: Rule, ownServers: readonly string[]): string | null {
  if (decision !== 'allow') return null
  if (target.kind === 'tool') return 'is ignored: only your own policy.toml can allow a whole tool.'
  if (target.kind !== 'mcp') return null
  const [server = ''] = target.pattern.split('/')
  return ownServers.includes(server)
    ? null
    : 'is ignored: a project can allow only tools of servers that it configures itself, by their full names.'
}

function location(line: number | undefined): string {
  return line === undefined ? projectPolicyPath : `${projectPolicyPath}:${line}`
}
