import { dirname, join, resolve } from 'node:path'
import {
  baseInstructions,
  composeInstructions,
  describeSurroundings,
  type InstructionFile,
} from '../core/instructions.ts'
import { openRealFile } from '../lookup/open-real-file.ts'
import { realPathOf } from '../lookup/real-path.ts'
import { liesWithin } from '../lookup/workspace-path.ts'
import type { Conversation } from './conversation.ts'
import type { RequestContext } from './request-source.ts'

const fileName = 'AGENTS.md'
/** Per file: more would crowd out the conversation. */
const maxInstructionBytes = 64 * 1024

interface Around {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly shell: string
  readonly nowMs: number
}

/** What precedes the messages, as it is on disk now: AGENTS.md of home, then from the repository root down to cwd. */
export async function gatherContext(conversation: Conversation, around: Around): Promise<RequestContext> {
  const { meta, settings } = conversation.state.core
  const root = await repositoryRoot(meta.cwd)
  const within = root?.folder ?? meta.cwd
  const files = await readInstructionFiles([
    { folder: around.home, within: around.home },
    ...foldersDown(within, meta.cwd).map((folder) => ({ folder, within })),
  ])
  return {
    instructions: composeInstructions(settings.baseInstructions ?? baseInstructions, files),
    instructionFiles: files.map(({ path }) => path),
    environment: describeSurroundings({
      cwd: meta.cwd,
      date: localDate(around.nowMs),
      platform: process.platform,
      shell: around.shell,
      gitBranch: root?.branch ?? null,
      sandbox:
        settings.tier === 'D'
          ? 'off (the user chose full access)'
          : settings.tier === 'C'
            ? `${settings.sandbox} (nothing enforces it here)`
            : settings.sandbox,
      approvalPolicy: settings.approvalPolicy,
      writableRoots: settings.writableRoots,
    }),
  }
}

function localDate(ms: number): string {
  const now = new Date(ms)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}

/** Read from `.git` itself: running git would read a configuration that is not ours. */
async function repositoryRoot(cwd: string): Promise<{ folder: string; branch: string } | null> {
  for (const folder of foldersUp(cwd)) {
    const git = join(folder, '.git')
    const head = (await textOf(join(git, 'HEAD'))) ?? (await linkedHead(git))
    if (head !== null) return { folder, branch: head.trim().replace(/^ref: refs\/heads\//, '') }
  }
  return null
}

/** A worktree's `.git` is a file that says where its HEAD is. */
async function linkedHead(git: string): Promise<string | null> {
  const folder = (await textOf(git))?.match(/^gitdir: (.+)$/m)?.[1]
  return folder === undefined ? null : textOf(join(resolve(dirname(git), folder), 'HEAD'))
}

async function readInstructionFiles(folders: readonly InstructionFolder[]): Promise<InstructionFile[]> {
  const files = await Promise.all(folders.map(readInstructionFile))
  return files.filter((file) => file !== null).filter(({ text }) => text.trim() !== '')
}

/** A folder to look in, and the one that its file must lie in whatever links there are. */
interface InstructionFolder {
  readonly folder: string
  readonly within: string
}

/** A repository must not choose, by a link, what else of this machine the provider is told. */
async function readInstructionFile({ folder, within }: InstructionFolder): Promise<InstructionFile | null> {
  const path = join(folder, fileName)
  const [real, root] = await Promise.all([path, within].map((place) => realPathOf(place).catch(() => null)))
  if (real === null || real === undefined || root === null || root === undefined || !liesWithin(real, root)) return null
  const text = await textOf(path)
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

/** The beginning of a regular file; null for anything else, such as a pipe or a device that would never end. */
async function textOf(path: string): Promise<string | null> {
  try {
    await using file = await openRealFile(await realPathOf(path))
    if (!(await file.stat()).isFile()) return null
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxInstructionBytes), 0, maxInstructionBytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return null
  }
}
