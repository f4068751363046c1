import { join } from 'node:path'
import { foldersUp, localDay } from '@parley/host'
import type { ModelAbilities } from '@parley/models'
import { settingsInForce } from '@parley/protocol'
import { diskFiles, type Environment, type EnvironmentFiles, gitFolderAt, smallText } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import { baseInstructions, composeInstructions, describeLimits, describeSessionContext } from '../core/instructions.ts'
import { describeSkills, type ListedSkill } from '../core/skills/skill-list.ts'
import { readInstructionFiles } from './instruction-files.ts'
import type { RequestContext } from './request-source.ts'

interface ContextSources {
  readonly home: string
  readonly environment: Environment
  readonly nowMs: number
  /** Shape of the tools that the model is offered. */
  readonly toolShape: ModelAbilities['toolShape']
  /** Skills that the model may use in a folder. */
  readonly skills: (cwd: string) => readonly ListedSkill[]
}

/**
 * Gathers instructions and session context from disk: the instruction file of `home` on this machine, then of each folder
 * from the repository root to cwd in the environment.
 */
export async function gatherContext(conversation: Conversation, sources: ContextSources): Promise<RequestContext> {
  const { meta, settings, turn } = conversation.state.core
  const { environment, home } = sources
  await environment.reach()
  const { files } = environment
  const root = await repositoryRoot(meta.cwd, files)
  const within = root?.folder ?? meta.cwd
  const secrets = await environment.secrets()
  const { files: found, warnings } = await readInstructionFiles([
    // The home is a place of secrets as a whole.
    { folder: home, within: home, files: diskFiles, secrets: [] },
    ...foldersDown(within, meta.cwd).map((folder) => ({ folder, within, files, secrets })),
  ])
  const skills = sources.skills(meta.cwd)
  const base = settings.baseInstructions ?? baseInstructions(sources.toolShape)
  return {
    instructions: composeInstructions([base.trim(), ...describeSkills(skills)].join('\n\n'), found),
    instructionFiles: found.map(({ path }) => path),
    warnings,
    skills: skills.map(({ name, file: path }) => ({ name, path })),
    sessionContext: describeSessionContext({
      cwd: meta.cwd,
      date: localDay(sources.nowMs),
      platform: environment.platform,
      shell: environment.shell,
      gitBranch: root?.branch ?? null,
      limits: describeLimits(settingsInForce(conversation.state.core), turn?.purpose),
    }),
  }
}

interface Repository {
  readonly folder: string
  readonly branch: string | null
}

/**
 * Finds the repository root and branch by reading `.git`; running git would execute configuration of the repository. Most
 * conversations are at a root; otherwise all folders above are looked at together.
 */
export async function repositoryRoot(cwd: string, files: EnvironmentFiles): Promise<Repository | null> {
  const [first = cwd, ...above] = foldersUp(cwd)
  const nearest = await repositoryAt(first, files)
  if (nearest !== null) return nearest
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
  const git = await gitFolderAt(join(folder, '.git'), files)
  const head = git === null ? null : await smallText(`${git}/HEAD`, files)
  return head === null ? null : { folder, branch: branchOf(head) }
}

/** Returns the branch or commit in HEAD; null for any other content, such as a link to a private file. */
function branchOf(head: string): string | null {
  const [, branch, commit] =
    /^(?:ref: (?:refs\/heads\/)?([^\s\p{C}]{1,250})|([0-9a-f]{40,64}))$/u.exec(head.trim()) ?? []
  return branch ?? commit ?? null
}

function foldersDown(root: string, cwd: string): string[] {
  const up = foldersUp(cwd)
  return up.slice(0, up.indexOf(root) + 1).reverse()
}
