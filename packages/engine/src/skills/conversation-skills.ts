import { dirname, join } from 'node:path'
import type { Project, Projects } from '@parley/policy'
import type { ConversationState } from '@parley/protocol'
import { type Environment, EnvironmentUnreachableError } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import type { ConversationProject } from '../project/conversation-project.ts'
import type { ReadableSkill, SkillSource } from '../tools/contract/skill-source.ts'
import { useSkillArguments, useSkillName } from '../tools/skills/use-skill.ts'
import { findParts, isHiddenFromCommands, type PartPorts, readPartFile, type UsablePart, usable } from './find-parts.ts'

/** Skills and commands of one conversation, as they are now. */
export interface ConversationSkills extends SkillSource {
  /** Tests if an absolute path is a file, in the environment of the conversation. */
  isFile(path: string): Promise<boolean>
  /** Skills and commands that a person may start by name. */
  named(cwd: string): readonly UsablePart[]
}

interface SkillPorts extends PartPorts {
  readonly conversation: Pick<Conversation, 'state'>
  readonly projects: Pick<Projects, 'of'>
  readonly project: Pick<ConversationProject, 'latest'>
}

export function conversationSkills(
  ports: SkillPorts,
  { name: machine, files }: Pick<Environment, 'name' | 'files'>,
): ConversationSkills {
  const { conversation, projects, project } = ports
  const isLocal = machine === null
  let fetched: Project | null = null
  const all = (cwd: string) => findParts(isLocal ? projects.of(cwd) : fetched, ports)
  const skills = (cwd: string) => usable(all(cwd)).filter(({ kind }) => kind === 'skill')
  return {
    async refresh() {
      if (isLocal) return true
      try {
        fetched = await project.latest()
        return true
      } catch (error) {
        // A skill of the earlier list fails by itself there.
        if (error instanceof EnvironmentUnreachableError) return false
        throw error
      }
    },
    list: (cwd) =>
      skills(cwd).map((part) => ({
        ...readable(part, { home: ports.home, isLocal }),
        mayRead: part.text.forModel || wasStarted(conversation.state, part.name),
      })),
    problemOf: (cwd, name) => all(cwd).find((part) => part.name === name)?.problem?.message ?? null,
    isFile: (path) =>
      files.look(path).then(
        ({ kind }) => kind === 'file',
        () => false,
      ),
    listed: (cwd) =>
      skills(cwd)
        .filter(({ text }) => text.forModel)
        .map(({ name, file, text }) => ({ name, file, description: text.description })),
    named: (cwd) => usable(all(cwd)).filter(({ text }) => text.forUser),
  }
}

/** Tells if a message of a user among the newest items has started the skill. */
function wasStarted({ window }: ConversationState, name: string): boolean {
  const starts = useSkillArguments(name)
  return window.some(
    ({ item }) =>
      item.type === 'userMessage' &&
      item.calls?.some((call) => call.name === useSkillName && call.arguments === starts) === true,
  )
}

/** Largest file of a skill that is read as text, in bytes. */
const maxFileBytes = 1024 * 1024

function readable(
  part: UsablePart,
  { home, isLocal }: { readonly home: string; readonly isLocal: boolean },
): Omit<ReadableSkill, 'mayRead'> {
  const { name, file, files, text } = part
  const folder = dirname(file)
  return {
    name,
    folder,
    body: text.body,
    ...(text.allowedTools === undefined ? {} : { allowedTools: text.allowedTools }),
    files,
    isHidden: part.origin === 'user' && (!isLocal || isHiddenFromCommands(part, home)),
    // Only files that were listed are read: their paths have no links and lie in the folder.
    read(path) {
      const name = join(path)
      return files.includes(name) ? readPartFile(part, name, maxFileBytes) : { problem: 'it has no such file' }
    },
  }
}
