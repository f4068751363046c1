import { resolve } from 'node:path'
import { type Config, type ConfiguredHook, type McpServerConfig, printable } from '@parley/config'
import type { SandboxMode, TrustReport } from '@parley/protocol'
import { countedNoun } from '@parley/text'
import { contentHash } from '@parley/workspace'
import { createTwoFilesPatch } from 'diff'
import { ruleRefOf } from '../decision/rules/rules.ts'
import type { Project } from './project.ts'
import type { ProgramFile } from './project-programs.ts'
import { countSkills, skillChanges, skillFiles, skillProblems, stateOfSkills } from './project-skills-report.ts'
import type { TrustEntry } from './trust-store.ts'

export function emptyReport(root: string): TrustReport {
  return { root, state: 'none', hash: null, wouldRun: [], changes: [], ignored: [], files: [] }
}

/** Reports a project. `own`: the user's own configuration. `sandboxed`: programs of the project run in the sandbox here. */
export function trustReport(
  project: Project,
  { own, sandboxed }: { readonly own: Config; readonly sandboxed: boolean },
): TrustReport {
  const { root, place, files, problems, entry } = project
  const { files: programs, problem } = project.programs()
  const layer = project.layer(own)
  const rules = project.rules(own)
  const { mcp_servers: servers = {}, hooks: _, ...settings } = layer.values
  const isWider = project.state === 'trusted' && !sandboxed && runsPrograms(project) && entry?.outsideSandbox === false
  const state = isWider ? 'changed' : stateWithSkills(project)
  const diff = state === 'changed' && entry !== null ? diffSince(entry, project) : ''
  return {
    root: place,
    state,
    hash: shownHash(project, sandboxed),
    wouldRun: [
      ...Object.entries(servers).map(([name, section]) =>
        programOf({ name, section, root, sandboxed, network: !sandboxed || hasNetwork(own) }),
      ),
      ...project.hooks.map((hook) => hookProgram(hook, { sandboxed, network: !sandboxed || hasNetwork(own) })),
    ],
    changes: [
      ...Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
      ...rules.rules.map((rule) => ruleText(rule)),
      ...programs.flatMap(describeProgram),
      ...skillChanges(project),
      ...(isWider ? ['It was trusted to run inside the sandbox. There is none here now.'] : []),
    ],
    ignored: [
      ...problems,
      ...(problem === null ? [] : [`It cannot be trusted: ${problem}.`]),
      ...layer.warnings,
      ...rules.ignored,
      ...skillProblems(project),
    ],
    files: files.map(({ path, text }) => ({ path, text })),
    ...(diff === '' ? {} : { diff }),
  }
}

/** Returns the state of the configuration or of the skills and commands, whichever asks more. */
function stateWithSkills(project: Project): Project['state'] {
  const { state, files, skills } = project
  if (skills.length === 0 || state === 'changed' || (state === 'untrusted' && files.length > 0)) return state
  return stateOfSkills(project)
}

/**
 * Returns the hash of all that a yes covers: the configuration, and every skill and command. It differs outside the
 * sandbox, since trust inside does not extend to it.
 */
export function shownHash(project: Project, sandboxed: boolean): string | null {
  const hash = project.hash()
  if (hash === null) return null
  const outside = sandboxed || !runsPrograms(project) ? '' : ' outside any sandbox'
  const skills = skillFiles(project)
  if (skills.length === 0 && outside === '') return hash
  const files = skills.length === 0 ? '' : JSON.stringify(skills)
  return contentHash(`${hash}${files}${outside}`)
}

export function runsPrograms({ servers, hooks }: Pick<Project, 'servers' | 'hooks'>): boolean {
  return hooks.length > 0 || Object.values(servers).some(({ command }) => command !== undefined)
}

/** Describes a hook: it runs in a copy of its files, not in the project. */
function hookProgram(
  { on, name, matcher, command }: ConfiguredHook,
  limits: Pick<ServerEntry, 'sandboxed' | 'network'>,
): TrustReport['wouldRun'][number] {
  const argv = typeof command === 'string' ? ['sh', '-c', command] : [...command]
  const named = `hook ${on}${matcher === undefined ? '' : ` ${matcher}`}: ${printable(name)}`
  return { name: named, hook: true, argv, ...limits }
}

interface ServerEntry {
  readonly name: string
  readonly section: McpServerConfig
  readonly root: string
  readonly sandboxed: boolean
  readonly network: boolean
}

function programOf({ name, section, root, sandboxed, network }: ServerEntry): TrustReport['wouldRun'][number] {
  const { command, args = [], env, cwd = '.', url } = section
  if (command === undefined)
    return { name, argv: [], sandboxed: false, network: true, ...(url === undefined ? {} : { url }) }
  return {
    name,
    argv: [command, ...args],
    cwd: resolve(root, cwd),
    sandboxed,
    network,
    ...(env === undefined ? {} : { env }),
  }
}

/** Describes a file that trust is bound to. Missing files are bound as well, but have no hash to show. */
function describeProgram({ path, content }: ProgramFile): string[] {
  const folder = /^folder:([0-9a-f]{12})/.exec(content)?.[1]
  if (folder !== undefined) return [`what programs start in the folder ${path} counts as it is now (sha256:${folder})`]
  return content.startsWith('sha256:') ? [`the file ${path} counts as it is now (${content.slice(0, 19)})`] : []
}

function ruleText(rule: Parameters<typeof ruleRefOf>[0]): string {
  const { name } = ruleRefOf(rule)
  const reason = rule.reason === undefined ? '' : ` (${rule.reason})`
  return `rule: ${rule.decision} ${name.replace(/^rule:/, '')}${reason}`
}

/** Returns the diff of files and program hashes since they were trusted. */
function diffSince(entry: TrustEntry, project: Project): string {
  const { files: programs } = project.programs()
  const before = [...entry.files, ...[...entry.programs, ...(entry.brought ?? [])].map(asText)]
  const after = [...project.files, ...[...programs, ...skillFiles(project)].map(asText)]
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].toSorted()
  return paths
    .map((path) => {
      const [old = '', now = ''] = [before, after].map((side) => side.find((file) => file.path === path)?.text)
      return old === now ? '' : patchOf(path, old, now)
    })
    .join('')
}

function asText({ path, content }: ProgramFile) {
  return { path, text: `${content}\n` }
}

/**
 * Limit of changed lines for the shortest diff, which is slow beyond; the report shows the files themselves as well.
 */
const maxEditLength = 2000

function patchOf(path: string, old: string, now: string): string {
  const names = ['trusted', 'now'] as const
  const patch = createTwoFilesPatch(path, path, old, now, ...names, { context: 2, maxEditLength })
  return patch === undefined ? `${path}: all of it has changed\n` : patch.replace(/^=+\n/, '')
}

/** Returns a line about a project with a configuration without effect; null when there is nothing to report. */
export function trustNotice(project: Project | null): string | null {
  const state = project === null ? 'trusted' : stateWithSkills(project)
  if (project === null || state === 'trusted' || state === 'declined') return null
  const { files, problems, skills } = project
  if (problems.length > 0 && files.length === 0) return problems.join(' ')
  const ways = '`parley trust`, or /trust in the terminal, shows it and how to decide.'
  if (project.state === 'trusted' || (project.state !== 'changed' && files.length === 0))
    return skillNotice(state, skills, ways)
  if (files.length === 0)
    return `The rules that you trusted this project with are gone from it, so what they forbade is no longer forbidden. ${ways}`
  const contents = contentsOf(project)
  return project.state === 'changed'
    ? `This project's own configuration (${contents}) has changed since you trusted it, so nothing of it takes effect. ${ways}`
    : `This project brings its own configuration (${contents}). Nothing of it takes effect unless you trust it. ${ways}`
}

function skillNotice(state: Project['state'], skills: Project['skills'], ways: string): string {
  return state === 'changed'
    ? `What this project brings beside its configuration (${countSkills(skills)}) has changed since you trusted it: what is new or changed has no effect. ${ways}`
    : `This project brings ${countSkills(skills)}. None of it has an effect unless you trust it. ${ways}`
}

function contentsOf({ files, servers, hooks, skills }: Project): string {
  const count = Object.keys(servers).length
  const tools = count === 0 ? [] : [countedNoun(count, 'tool server')]
  const programs = hooks.length === 0 ? [] : [countedNoun(hooks.length, 'hook')]
  const words = skills.length === 0 ? [] : [countSkills(skills)]
  return [...files.map(({ path }) => path), ...tools, ...programs, ...words].join(', ')
}

/** Sandbox that a server configured by a project is started in. */
export interface ServerSandboxPolicy {
  /** Root of the project, the only writable folder. */
  readonly root: string
  /** Device and inode that the root must have at each start. */
  readonly rootIdentity: string | null
  readonly mode: 'read-only' | 'workspace-write'
  /** Network of the server; only the user's own configuration grants it. */
  readonly network: boolean
  /** True when the user trusted the project on a machine without a sandbox. */
  readonly mayRunUnsandboxed: boolean
  /** Files as they were when they were trusted. */
  readonly programs: readonly ProgramFile[]
}

/** Returns the sandbox policies of the servers of a trusted project, by name; an empty map for any other project. */
export function serverSandboxPolicies(
  project: Project | null,
  own: Config,
  sandbox: SandboxMode,
): ReadonlyMap<string, ServerSandboxPolicy> {
  if (project?.state !== 'trusted') return new Map()
  const { root, rootIdentity, entry } = project
  const { files: programs } = project.programs()
  const mode = serverSandboxMode(sandbox)
  const mayRunUnsandboxed = entry?.outsideSandbox === true
  const policy = { root, rootIdentity, mode, network: hasNetwork(own), mayRunUnsandboxed, programs } as const
  return new Map(Object.keys(project.layer(own).values.mcp_servers ?? {}).map((name) => [name, policy]))
}

/**
 * Returns the sandbox policy of a server that an editor hands over: the policy of a project's servers, in the editor's
 * folder. `identity`: device and inode that the root must have at each start.
 */
export function editorServerPolicy(
  { root, identity, mayRunUnsandboxed }: { root: string; identity: string | null; mayRunUnsandboxed: boolean },
  own: Config,
  sandbox: SandboxMode,
): ServerSandboxPolicy {
  const mode = serverSandboxMode(sandbox)
  return { root, rootIdentity: identity, mode, network: hasNetwork(own), mayRunUnsandboxed, programs: [] }
}

/** Returns the mode of a project's servers. Full access of the conversation does not extend to foreign programs. */
export function serverSandboxMode(sandbox: SandboxMode): ServerSandboxPolicy['mode'] {
  return sandbox === 'read-only' ? 'read-only' : 'workspace-write'
}

function hasNetwork({ sandbox_workspace_write: limits }: Config): boolean {
  return limits?.network_access === true
}
