import { dirname, join, resolve } from 'node:path'
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
/** Per file: more would crowd out the conversation. */
const maxInstructionBytes = 64 * 1024

interface Around {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly environment: Environment
  readonly nowMs: number
}

/**
 * What precedes the messages, as it is on disk now: AGENTS.md of home, then from the repository root down to cwd. Home
 * is here, the folders are where the conversation works.
 */
export async function gatherContext(conversation: Conversation, around: Around): Promise<RequestContext> {
  const { meta, settings } = conversation.state.core
  const { environment, home } = around
  await environment.reach()
  const { files } = environment
  const root = await repositoryRoot(meta.cwd, files)
  const within = root?.folder ?? meta.cwd
  const found = await readInstructionFiles([
    { folder: home, within: home, files: diskFiles },
    ...foldersDown(within, meta.cwd).map((folder) => ({ folder, within, files })),
  ])
  return {
    instructions: composeInstructions(settings.baseInstructions ?? baseInstructions, found),
    instructionFiles: found.map(({ path }) => path),
    sessionContext: describeSessionContext({
      cwd: meta.cwd,
      date: localDate(around.nowMs),
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

/** Read from `.git` itself: running git would read a configuration that is not ours. */
async function repositoryRoot(
  cwd: string,
  files: EnvironmentFiles,
): Promise<{ folder: string; branch: string | null } | null> {
  for (const folder of foldersUp(cwd)) {
    const git = join(folder, '.git')
    const head = (await textOf(join(git, 'HEAD'), files)) ?? (await linkedHead(git, files))
    if (head !== null) return { folder, branch: branchOf(head) }
  }
  return null
}

/** A HEAD that is none, such as a link to another file of the user's, is not told to anyone. */
function branchOf(head: string): string | null {
  return (
    /^(?:ref: (?:refs\/heads\/)?([^\s\p{C}]{1,250})|([0-9a-f]{40,64}))$/u.exec(head.trim())?.slice(1).find(Boolean) ??
    null
  )
}

/** A worktree's `.git` is a file that says where its HEAD is. */
async function linkedHead(git: string, files: EnvironmentFiles): Promise<string | null> {
  const folder = (await textOf(git, files))?.match(/^gitdir: (.+)$/m)?.[1]
  return folder === undefined ? null : textOf(join(resolve(dirname(git), folder), 'HEAD'), files)
}

async function readInstructionFiles(folders: readonly InstructionFolder[]): Promise<InstructionFile[]> {
  const files = await Promise.all(folders.map(readInstructionFile))
  return files.filter((file) => file !== null).filter(({ text }) => text.trim() !== '')
}

/** A folder to look in, and the one that its file must lie in whatever links there are. */
interface InstructionFolder {
  readonly folder: string
  readonly within: string
  readonly files: EnvironmentFiles
}

/** A repository must not choose, by a link, what else of this machine the provider is told. */
async function readInstructionFile({ folder, within, files }: InstructionFolder): Promise<InstructionFile | null> {
  const path = join(folder, fileName)
  const [real, root] = await Promise.all([path, within].map((place) => files.realPath(place).catch(whenUnknown(null))))
  if (real === null || real === undefined || root === null || root === undefined || !liesWithin(real, root)) return null
  const text = await textOf(path, files)
  return text === null ? null : { path, text }
}

function foldersUp(from: string): string[] {
  const parent = dirname(from)
  return parent === from ? [from] : [from, ...foldersUp(parent)]
}

function foldersDown(root: string, cwd: string): string[] {
  const up = foldersUp(cwd)
  const at = up.indexOf(root)
  return up.slice(0, at + 1).reverse()
}

async function textOf(path: string, files: EnvironmentFiles): Promise<string | null> {
  const real = await files.realPath(path).catch(whenUnknown(null))
  return real === null ? null : readOpening(files, real, maxInstructionBytes)
}
