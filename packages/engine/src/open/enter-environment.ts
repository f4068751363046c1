import { StorageError } from '@parley/journal'
import { type Environment, EnvironmentUnreachableError } from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { OpenParts } from '../load/conversation-parts.ts'
import type { ConversationProject } from '../project/conversation-project.ts'
import { assertFolder } from '../project/project-at.ts'
import { rejection } from '../replies/rejection.ts'
import type { Roles } from '../roles/roles.ts'
import { typedSecret } from '../turn/user-typing.ts'

interface EnteringConversation {
  readonly conversation: Conversation
  readonly environment: Environment
  readonly roles: Roles
  readonly project: Pick<ConversationProject, 'read' | 'config'>
  readonly parts: Pick<OpenParts, 'created' | 'hidden'>
  /** Releases the environment and the tool servers; called when a new conversation is rejected. */
  readonly leave: () => Promise<unknown>
}

interface FoundThere {
  readonly instructionFiles: readonly string[]
  readonly warnings: readonly string[]
}

const nothingFound: FoundThere = { instructionFiles: [], warnings: [] }

/**
 * Looks at the environment of a conversation for the first time. An unreachable one rejects a new conversation with
 * `environmentUnreachable`; a recorded one opens with a warning, since it can be read and its machine may come back.
 */
export async function enterEnvironment(entry: EnteringConversation): Promise<FoundThere> {
  const { state, readOnly } = entry.conversation
  // Before the output of running commands is read, also when their machine is away again by now.
  for (const text of entry.parts.hidden) entry.roles.record.redaction.hide(typedSecret, text)
  // A view runs nothing, so its machine need not be reachable.
  if (readOnly && state.core.settings.environment !== undefined) return nothingFound
  try {
    return await look(entry)
  } catch (error) {
    const { seq } = state.core
    const warning = seq === 0 ? null : warningOf(error)
    if (warning !== null) return { ...nothingFound, warnings: [warning] }
    await entry.leave()
    const { environment = '' } = state.core.settings
    throw error instanceof EnvironmentUnreachableError
      ? rejection('environmentUnreachable', error.message, { environment })
      : error
  }
}

async function look(entry: EnteringConversation): Promise<FoundThere> {
  const { conversation, environment, roles, project } = entry
  const { gather } = roles.model
  const { limits } = roles.act
  const { meta, settings, seq } = conversation.state.core
  if (!conversation.readOnly) await environment.rootsNow(workspaceOf(conversation.state).roots)
  if (settings.environment !== undefined && seq === 0) await assertFolder(environment, meta.cwd)
  await project.read()
  const warnings = narrow(entry)
  const [found] = await Promise.all([gather(), conversation.readOnly ? null : limits.readReport()])
  // The limits in a log are corrected after its recovery events; a new log begins with the right ones.
  if (seq === 0) limits.recordEnforcement()
  return { instructionFiles: found.instructionFiles, warnings: [...warnings, ...found.warnings] }
}

/**
 * Decides the settings of a new conversation again, by the project of its environment, where that is trusted: it asks more
 * and allows less. Returns the warnings that come with it.
 */
function narrow({ conversation, environment, project, parts: { created } }: EnteringConversation): readonly string[] {
  const { project: found } = project.config
  if (created === undefined || environment.name === null || found?.state !== 'trusted') return []
  const { settings, warnings } = created.inProject(found)
  conversation.redraft({ settings })
  return warnings.filter((warning) => !created.warnings.includes(warning))
}

/** Returns the warning for a recorded conversation that opens all the same; null when it does not open. */
function warningOf(error: unknown): string | null {
  if (error instanceof EnvironmentUnreachableError)
    return `${error.message} What the model wants to do there fails until it is back.`
  return error instanceof StorageError && error.retryable
    ? 'What was decided about the project is not known while the store is away. Nothing is done there until it is back.'
    : null
}
