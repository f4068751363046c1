import { dirname, join, resolve } from 'node:path'
import type { ModelAbilities } from '@parley/models'
import {
  diskFiles,
  type Environment,
  type EnvironmentFiles,
  liesWithin,
  readOpening,
  whenUnknown,
} from '@parley/workspace'
import {
  baseInstructions,
  composeInstructions,
  describeLimits,
  describeSessionContext,
  type InstructionFile,
} from '../../core/instructions.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { RequestContext } from './request-source.ts'

const fileName = 'AGENTS.md'
/** Bytes read of each file; more would crowd out the conversation. */
const maxInstructionBytes = 64 * 1024

interface ContextSources {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly environment: Environment
  readonly nowMs: number
  /** Shape of the tools that the model is offered. */
  readonly toolShape: ModelAbilities['toolShape']
}

/**
 * Gathers instructions and session context from disk: AGENTS.md of `home` on this machine, then of each folder from the
 * repository root to cwd in the environment.
 */
export async function gatherContext(conversation: Conversation, sources: ContextSources): Promise<RequestContext> {
  const { meta, settings } = conversation.state.core
  const { environment, home } = sources
  await environment.reach()
  const { files } = environment
  const root = await repositoryRoot(meta.cwd, files)
  const within = root?.folder ?? meta.cwd
  const found = await readInstructionFiles([
    { folder: home, within: home, files: diskFiles },
    ...foldersDown(within, meta.cwd).map((folder) => ({ folder, within, files })),
  ])
  return {
    instructions: composeInstructions(settings.baseInstructions ?? baseInstructions(sources.toolShape), found),
    instructionFiles: found.map(({ path }) => path),
    sessionContext: describeSessionContext({
      cwd: meta.cwd,
      date: localDate(sources.nowMs),
      platform: environment.platform,
      shell: environment.shell,
      gitBranch: root?.branch ?? null,
      limits: describeLimits(settings),
    }),
  }
}

function localDate(ms: number): string {
  const now = new Date(ms)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

interface Repository {
  readonly folder: string
  readonly branch: string | null
}

/**
 * Finds the repository root and branch by reading `.git`; running git would execute configuration of the repository. Most
 * conversations are at a root; otherwise all folders above are looked at together.
 */
async function repositoryRoot(cwd: string, files: EnvironmentFiles): Promise<Repository | null> {
  const [first = cwd, ...above] = foldersUp(cwd)
  const found = await repositoryAt(first, files)
  if (found !== null) return found
  const others = above.map((folder) => repositoryAt(folder, files))
  // A failure counts only where no folder below is a root.
  for (const other of others) other.catch(() => undefined)
  for (const other of others) {
    const root = await other
    if (root !== null) return root
  }
  return null
}

async function repositoryAt(folder: string, files: EnvironmentFiles): Promise<Repository | null> {
  const git = join(folder, '.git')
  const kind = await kindOf(git, files)
  if (kind === null) return null
  const head = await (kind === 'folder' ? textOf(join(git, 'HEAD'), files) : linkedHead(git, files))
  return head === null ? null : { folder, branch: branchOf(head) }
}

/** Returns the branch or commit in HEAD; null for any other content, such as a link to a private file. */
function branchOf(head: string): string | null {
  return (
    /^(?:ref: (?:refs\/heads\/)?([^\s\p{C}]{1,250})|([0-9a-f]{40,64}))$/u.exec(head.trim())?.slice(1).find(Boolean) ??
    null
  )
}

/** Reads HEAD of a worktree, whose `.git` is a file that names the folder of HEAD. */
async function linkedHead(git: string, files: EnvironmentFiles): Promise<string | null> {
  const folder = (await textOf(git, files))?.match(/^gitdir: (.+)$/m)?.[1]
  return folder === undefined ? null : textOf(join(resolve(dirname(git), folder), 'HEAD'), files)
}

async function readInstructionFiles(folders: readonly InstructionFolder[]): Promise<InstructionFile[]> {
  const files = await Promise.all(folders.map(readInstructionFile))
  return files.filter((file) => file !== null).filter(({ text }) => text.trim() !== '')
}

/** Folder to look in, with the folder that its file must lie in after links are resolved. */
interface InstructionFolder {
  readonly folder: string
  readonly within: string
  readonly files: EnvironmentFiles
}

/**
 * Reads an instruction file. Links out of `within` are ignored: a repository could send other files of this machine to
 * the provider.
 */
async function readInstructionFile({ folder, within, files }: InstructionFolder): Promise<InstructionFile | null> {
  const path = join(folder, fileName)
  if ((await kindOf(path, files)) === null) return null
  const [real, root] = await Promise.all([path, within].map((place) => files.realPath(place).catch(whenUnknown(null))))
  if (real === null || real === undefined || root === null || root === undefined || !liesWithin(real, root)) return null
  const text = await textOf(path, files)
  return text === null ? null : { path, text }
}

/** Returns a folder and all folders above it, innermost first. */
export function foldersUp(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [path, ...foldersUp(parent)]
}

function foldersDown(root: string, cwd: string): string[] {
  const up = foldersUp(cwd)
  const at = up.indexOf(root)
  return up.slice(0, at + 1).reverse()
}

/** Returns what a path leads to; null for nothing. One look, where resolving a path that is not there takes several. */
async function kindOf(path: string, files: EnvironmentFiles) {
  const found = await files.look(path).catch(whenUnknown(null))
  return found === null ? null : found.kind
}

async function textOf(path: string, files: EnvironmentFiles): Promise<string | null> {
  const real = await files.realPath(path).catch(whenUnknown(null))
  return real === null ? null : readOpening(files, real, maxInstructionBytes)
}
