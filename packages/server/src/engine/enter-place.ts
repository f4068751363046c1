import { type Environment, EnvironmentUnreachableError } from '@parley/workspace'
import type { Conversation } from './conversation.ts'
import type { ConversationLimits } from './limits/conversation-limits.ts'
import { rejection } from './refusal.ts'
import type { RequestContext } from './request-source.ts'

interface Entry {
  readonly conversation: Conversation
  readonly place: Environment
  readonly gather: () => Promise<RequestContext>
  readonly limits: ConversationLimits
  /** Gives back what was taken for the conversation, where it is refused. */
  readonly leave: () => Promise<unknown>
}

interface Entered {
  readonly instructionFiles: readonly string[]
  readonly warnings: readonly string[]
}

const nothingFound: Entered = { instructionFiles: [], warnings: [] }

/**
 * The first look at where a conversation works. A new one is refused where it could do nothing; a recorded one is opened
 * all the same, with a warning: it can be read, and its machine may come back.
 */
export async function enterPlace(entry: Entry): Promise<Entered> {
  const { state, readOnly } = entry.conversation
  // A view runs nothing, and its machine need not be there.
  if (readOnly && state.core.settings.environment !== undefined) return nothingFound
  try {
    return await look(entry)
  } catch (error) {
    const { seq } = state.core
    if (error instanceof EnvironmentUnreachableError && seq > 0)
      return { ...nothingFound, warnings: [warningOf(error)] }
    await entry.leave()
    const { environment = '' } = state.core.settings
    throw error instanceof EnvironmentUnreachableError
      ? rejection('environmentUnreachable', error.message, { environment })
      : error
  }
}

async function look({ conversation, place, gather, limits }: Entry): Promise<Entered> {
  const { meta, settings, seq } = conversation.state.core
  if (settings.environment !== undefined && seq === 0) await assertFolder(place, meta.cwd)
  const [{ instructionFiles }] = await Promise.all([gather(), conversation.readOnly ? null : limits.readReport()])
  // What a log says of the limits is corrected once it is recovered; a new one says it from the beginning.
  if (seq === 0) limits.recordEnforcement()
  return { ...nothingFound, instructionFiles }
}

function warningOf({ message }: EnvironmentUnreachableError): string {
  return `${message} What the model wants to do there fails until it is back.`
}

async function assertFolder({ files, reach, name: environment }: Environment, cwd: string): Promise<void> {
  await reach()
  const isFolder = await files.look(cwd).then(
    ({ kind }) => kind === 'folder',
    (error: unknown) => {
      if (error instanceof EnvironmentUnreachableError) throw error
      return false
    },
  )
  if (isFolder) return
  throw rejection('cwdMissing', `There is no folder ${cwd} in environment ${environment}.`, {
    cwd,
  })
}
