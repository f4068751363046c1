import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Config, type Layer, type McpServerConfig, projectConfigPath, projectLayer } from '@parley/config'
import type { Files } from '@parley/journal'
import type { Rules } from '../decision/rules.ts'
import { parsePolicyText } from '../policy-file/read-policy-file.ts'
import { lookAtPrograms, type ProgramFile, type Programs } from './project-programs.ts'
import { isParleyHome, projectRoot } from './project-root.ts'
import { type ProjectRules, projectRules } from './project-rules.ts'
import { type ProjectFile, projectPolicyPath, readProjectFiles } from './read-project-files.ts'
import { createTrustStore, type TrustEntry, type TrustStore } from './trust-store.ts'

/** What a project brings along, read once, and what the user has said of exactly this. */
export interface Project {
  readonly root: string
  readonly state: 'untrusted' | 'changed' | 'trusted' | 'declined'
  readonly files: readonly ProjectFile[]
  /** Why something that is there was not read. */
  readonly problems: readonly string[]
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** Files of the project that its servers run or name; looked at once, when it is first asked. */
  programs(): Programs
  /** Of everything that would take effect, byte for byte; null where there is nothing that trust could be bound to. */
  hash(): string | null
  readonly entry: TrustEntry | null
  /** Over the user's own values. Takes effect only where it is trusted, as the rules do. */
  layer(own: Config): Layer
  rules(own: Config): ProjectRules
}

export interface Projects {
  readonly store: TrustStore
  /** Null where there is nothing of a project that could take effect, and nothing to say of it. */
  of(cwd: string): Project | null
}

interface ProjectPorts {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly files: Files
}

export function createProjects({ home, env, files }: ProjectPorts): Projects {
  const store = createTrustStore(home, files)
  return {
    store,
    of(cwd) {
      const root = projectRoot(cwd)?.folder ?? null
      if (root === null || isParleyHome(root, home)) return null
      return readProject(root, { store, searchPath: env['PATH'] ?? '' })
    },
  }
}

function readProject(root: string, { store, searchPath }: { store: TrustStore; searchPath: string }): Project | null {
  const { files, problems } = readProjectFiles(root)
  const entry = store.read(root)
  const isGone = files.length === 0 && problems.length === 0
  if (isGone && !hadRules(entry)) return null
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? ''
  const layer = (own: Config) => projectLayer(textOf(projectConfigPath), own)
  // Without the user's own values: what is trusted must not depend on them.
  const servers = layer({}).values.mcp_servers ?? {}
  let known: Programs | null = null
  const programs = () => {
    known ??= lookAtPrograms(root, Object.values(servers), searchPath)
    return known
  }
  const hash = () => {
    const { files: looked, problem } = programs()
    return problem !== null || (files.length === 0 && !isGone) ? null : hashOf({ root, files, programs: looked })
  }
  return {
    root,
    state: isGone ? 'changed' : stateOf(entry, files, hash),
    files,
    problems,
    servers,
    programs,
    hash,
    entry,
    layer,
    rules: (own) =>
      projectRules(
        parsePolicyText(textOf(projectPolicyPath), join(root, projectPolicyPath)),
        Object.keys(layer(own).values.mcp_servers ?? {}),
      ),
  }
}

/** Rules that are taken away may have been what forbade something, so that is said; a yes to nothing ends it. */
function hadRules(entry: TrustEntry | null): boolean {
  return entry?.verdict === 'trusted' && entry.files.some(({ path }) => path === projectPolicyPath)
}

/** Programs are looked at only where the files are those that were decided on: a stranger's repository costs little. */
function stateOf(entry: TrustEntry | null, files: readonly ProjectFile[], hash: () => string | null): Project['state'] {
  if (entry === null) return 'untrusted'
  if (JSON.stringify(entry.files) === JSON.stringify(files) && entry.hash === hash()) return entry.verdict
  // What is left of it when nothing can be read does nothing.
  return entry.verdict === 'trusted' && files.length > 0 ? 'changed' : 'untrusted'
}

interface Content {
  readonly root: string
  readonly files: readonly ProjectFile[]
  readonly programs: readonly ProgramFile[]
}

/** JSON has one reading, so no two contents are written alike. */
function hashOf(content: Content): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex')
}

/** Rules of a project that the user has said yes to. */
export function trustedRules(project: Project | null, own: Config): Rules {
  return project?.state === 'trusted' ? project.rules(own).rules : []
}
