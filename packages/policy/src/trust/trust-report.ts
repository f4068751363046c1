import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Config, McpServerConfig } from '@parley/config'
import type { TrustReport } from '@parley/protocol'
import { createTwoFilesPatch } from 'diff'
import { ruleRefOf } from '../decision/rules.ts'
import { hasNetwork } from './confinement.ts'
import type { Project } from './project.ts'
import type { ProgramFile } from './project-programs.ts'
import type { TrustEntry } from './trust-store.ts'

/** What a report is about besides the project. */
interface Around {
  /** The user's own values, without the project's. */
  readonly own: Config
  /** Whether programs of the project are kept inside the sandbox here. */
  readonly sandboxed: boolean
}

export function emptyReport(root: string): TrustReport {
  return { root, state: 'none', hash: null, wouldRun: [], changes: [], ignored: [], files: [] }
}

export function trustReport(project: Project, { own, sandboxed }: Around): TrustReport {
  const { root, files, problems, entry } = project
  const { files: programs, problem } = project.programs()
  const layer = project.layer(own)
  const rules = project.rules(own)
  const { mcp_servers: servers = {}, ...settings } = layer.values
  const isWider = project.state === 'trusted' && !sandboxed && runsPrograms(project) && entry?.outsideSandbox === false
  const diff = project.state === 'changed' && entry !== null ? diffSince(entry, project) : ''
  return {
    root,
    state: isWider ? 'changed' : project.state,
    hash: shownHash(project, sandboxed),
    wouldRun: Object.entries(servers).map(([name, section]) =>
      programOf({ name, section, root, sandboxed, network: !sandboxed || hasNetwork(own) }),
    ),
    changes: [
      ...Object.entries(settings).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
      ...rules.rules.map((rule) => ruleText(rule)),
      ...programs.flatMap(boundTo),
      ...(isWider ? ['It was trusted to run inside the sandbox. There is none here now.'] : []),
    ],
    ignored: [
      ...problems,
      ...(problem === null ? [] : [`It cannot be trusted: ${problem}.`]),
      ...layer.warnings,
      ...rules.ignored,
    ],
    files: files.map(({ path, text }) => ({ path, text })),
    ...(diff === '' ? {} : { diff }),
  }
}

/** A yes to a program inside the sandbox is no yes to the same one outside. */
export function shownHash(project: Project, sandboxed: boolean): string | null {
  const hash = project.hash()
  if (hash === null || sandboxed || !runsPrograms(project)) return hash
  return createHash('sha256').update(`${hash} outside any sandbox`).digest('hex')
}

export function runsPrograms({ servers }: Pick<Project, 'servers'>): boolean {
  return Object.values(servers).some(({ command }) => command !== undefined)
}

interface Named {
  readonly name: string
  readonly section: McpServerConfig
  readonly root: string
  readonly sandboxed: boolean
  readonly network: boolean
}

function programOf({ name, section, root, sandboxed, network }: Named): TrustReport['wouldRun'][number] {
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

/** What is not there yet is bound as well: a file that appears asks anew. There is nothing to show of it. */
function boundTo({ path, content }: ProgramFile): string[] {
  return content.startsWith('sha256:') ? [`the file ${path} counts as it is now (${content.slice(0, 19)})`] : []
}

function ruleText(rule: Parameters<typeof ruleRefOf>[0]): string {
  const { name } = ruleRefOf(rule)
  const reason = rule.reason === undefined ? '' : ` (${rule.reason})`
  return `rule: ${rule.decision} ${name.replace(/^rule:/, '')}${reason}`
}

/** Of the files' text and of what the programs hold. */
function diffSince(entry: TrustEntry, { files, programs: programsOf }: Project): string {
  const { files: programs } = programsOf()
  const before = [...entry.files, ...entry.programs.map(({ path, content }) => ({ path, text: `${content}\n` }))]
  const after = [...files, ...programs.map(({ path, content }) => ({ path, text: `${content}\n` }))]
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].toSorted()
  return paths
    .map((path) => {
      const [old = '', now = ''] = [before, after].map((side) => side.find((file) => file.path === path)?.text)
      return old === now ? '' : patchOf(path, old, now)
    })
    .join('')
}

/** Beyond so many changed lines the shortest diff is not worth its time: the files themselves are shown as well. */
const maxEditLength = 2000

function patchOf(path: string, old: string, now: string): string {
  const names = ['trusted', 'now'] as const
  const patch = createTwoFilesPatch(path, path, old, now, ...names, { context: 2, maxEditLength })
  return patch === undefined ? `${path}: all of it has changed\n` : patch.replace(/^=+\n/, '')
}
