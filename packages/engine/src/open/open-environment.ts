import { ConfigError } from '@parley/config'
import type { Host } from '@parley/host'
import type { Projects, ShellParser } from '@parley/policy'
import { type ConversationState, ownersOf, shortIdOf } from '@parley/protocol'
import type {
  Environment,
  EnvironmentRequest,
  Environments,
  LinkChange,
  SecretPaths,
  TakenEnvironment,
} from '@parley/workspace'
import type { OpenParts } from '../load/conversation-parts.ts'
import type { EditorTexts } from '../ports/editor.ts'
import { type ConversationProject, projectHere, projectInEnvironment } from '../project/conversation-project.ts'
import { keepRunning } from '../session/running-on.ts'
import { type ConfigHere, configOnly } from '../settings/read-config.ts'
import type { OpenRecord } from './open-record.ts'

/** Ports of the server that conversations act with. */
export interface ActPorts {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly shellParser: ShellParser
  readonly environments: Environments
  /** Resolves to the paths of secrets on this machine. */
  readonly secrets: () => Promise<SecretPaths>
  readonly projects: Projects
  readonly processes: Pick<Host, 'startGuard' | 'removeWhenKilled'>
  /** Undefined on a server without clients that are editors. */
  readonly editors: EditorTexts | undefined
}

/** Environment of a conversation with its project. */
export interface OpenEnvironment {
  readonly environment: Environment
  readonly release: TakenEnvironment['release']
  readonly project: ConversationProject
  /** Sets the listener of changes of the link, before anything is awaited: earlier changes have no listener. */
  readonly onLinkChange: (listener: (change: LinkChange) => void) => void
}

interface RecordedConversation {
  readonly parts: OpenParts
  readonly record: OpenRecord
  readonly config: ConfigHere
}

/** Takes the environment of a conversation and finds its project. Reads nothing there yet. */
export function openEnvironment({ parts, record, config }: RecordedConversation, ports: ActPorts): OpenEnvironment {
  const { conversation } = record
  const { core } = parts.state
  let listener: ((change: LinkChange) => void) | null = null
  const { environment, release } = takeEnvironment(core, ports.environments, {
    // A view runs nothing, and opens also when its machine or the machine's settings are missing.
    environment: parts.readOnly ? undefined : core.settings.environment,
    config: config.effective.values,
    ...ownerFor(record),
    onLinkChange: (change) => listener?.(change),
  })
  if (record.owner !== null) keepRunning(conversation, environment.kept, parts.names)
  const cwd = () => conversation.state.core.meta.cwd
  const { home, projects } = ports
  const project =
    environment.name === null
      ? projectHere(config, cwd, { projects })
      : projectInEnvironment({ config, environment, overrides: configOnly(parts.overrides), cwd }, { home, projects })
  const onLinkChange: OpenEnvironment['onLinkChange'] = (to) => {
    listener = to
  }
  return { environment, release, project, onLinkChange }
}

/** Takes an environment. A `ConfigError` about a recorded conversation names the command that still shows it. */
export function takeEnvironment(
  { seq, meta }: ConversationState['core'],
  environments: Environments,
  request: EnvironmentRequest,
): TakenEnvironment {
  try {
    return environments.take({ ...request, users: ownersOf(meta.access) })
  } catch (error) {
    if (!(error instanceof ConfigError) || seq === 0) throw error
    const remedy = `\`parley attach --read-only ${shortIdOf(meta.conversationId)}\` shows it.`
    throw new ConfigError(error.where, `${error.what} ${remedy}`)
  }
}

/** Returns the right to the conversation. Its end is reported, as the conversation is closed here then. */
function ownerFor({ owner, onFault }: OpenRecord): Pick<EnvironmentRequest, 'owner'> {
  if (owner === null) return {}
  const taken = () => {
    owner.taken()
    onFault(owner.ended)
  }
  return { owner: { fence: owner.fence, mayAct: owner.mayAct, assertMayAct: owner.assertMayAct, taken } }
}
