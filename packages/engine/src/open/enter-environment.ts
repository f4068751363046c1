import { ConfigError } from '@parley/config'
import { StorageError } from '@parley/journal'
import { type ConversationState, ownersOf, shortIdOf } from '@parley/protocol'
import {
  type Environment,
  type EnvironmentRequest,
  type Environments,
  EnvironmentUnreachableError,
  type TakenEnvironment,
} from '@parley/workspace'
import type { Conversation } from '../conversation/conversation.ts'
import { workspaceOf } from '../limits/workspace-folders.ts'
import type { ConversationProject } from '../project/conversation-project.ts'
import { assertFolder } from '../project/project-at.ts'
import { rejection } from '../replies/rejection.ts'
import type { Roles } from '../roles/roles.ts'
import { typedSecret } from '../turn/user-typing.ts'
import type { OpenParts } from './conversation-parts.ts'

/** Takes an environment. A `ConfigError` about a recorded conversation names the command that still shows it. */
export function takeEnvironment(
  { seq, meta }: ConversationState['core'],
  environments: Environments,
  wanted: EnvironmentRequest,
): TakenEnvironment {
  try {
    return environments.take({ ...wanted, users: ownersOf(meta.access) })
  } catch (error) {
    if (!(error instanceof ConfigError) || seq === 0) throw error
    const way = `\`parley attach --read-only ${shortIdOf(meta.conversationId)}\` shows it.`
    throw new ConfigError(error.where, `${error.what} ${way}`)
  }
}

interface Entry {
  readonly conversation: Conversation
  readonly environment: Environment
  readonly roles: Roles
  readonly project: Pick<ConversationProject, 'read' | 'config'>
  readonly parts: Pick<OpenParts, 'created' | 'hidden'>
  /** Releases what was taken for the conversation; called where a new one is rejected. */
  readonly leave: () => Promise<unknown>
}

interface Entered {
  readonly instructionFiles: readonly string[]
  readonly warnings: readonly string[]
}

const nothingFound: Entered = { instructionFiles: [], warnings: [] }

/**
 * Looks at the environment of a conversation for the first time. An unreachable one rejects a new conversation with
 * `environmentUnreachable`; a recorded one opens with a warning, since it can be read and its machine may come back.
 */
export async function enterEnvironment(entry: Entry): Promise<Entered> {
  const { state, readOnly } = entry.conversation
  // Before the output of what runs on is read, also where its machine is away again by now.
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

async function look(entry: Entry): Promise<Entered> {
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
function narrow({ conversation, environment, project, parts: { created } }: Entry): readonly string[] {
  const { project: found } = project.config
  if (created === undefined || environment.name === null || found?.state !== 'trusted') return []
  const { settings, warnings } = created.inProject(found)
  conversation.redraft({ settings })
  return warnings.filter((warning) => !created.warnings.includes(warning))
}

/** Returns what is said of a recorded conversation that opens all the same; null where it does not. */
function warningOf(error: unknown): string | null {
  if (error instanceof EnvironmentUnreachableError)
    return `${error.message} What the model wants to do there fails until it is back.`
  return error instanceof StorageError && error.retryable
    ? 'What was decided about the project is not known while the store is away. Nothing is done there until it is back.'
    : null
}
