import { sessionPaths } from '@parley/journal'
import { type ConversationCore, type ListedConversation, type Settings, unansweredApprovals } from '@parley/protocol'
import { environmentsOf } from './settings.ts'
import { seconds, type turnShape } from './turn.ts'

/** State of a thread as clients know it. */
export type ThreadStatus =
  | { readonly type: 'notLoaded' | 'idle' | 'systemError' }
  | { readonly type: 'active'; readonly activeFlags: readonly 'waitingOnApproval'[] }

export interface ThreadContext {
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly version: string
  readonly status: ThreadStatus
  readonly turns?: readonly ReturnType<typeof turnShape>[]
  readonly ephemeral?: boolean
}

type ThreadMeta = Pick<
  ListedConversation,
  'conversationId' | 'cwd' | 'title' | 'name' | 'createdAt' | 'updatedAt' | 'forkedFrom'
>

/** Returns a conversation as a thread. Values that a list lacks are null. */
export function threadShape(meta: ThreadMeta, settings: Settings | null, context: ThreadContext) {
  const { conversationId: id, cwd, title, name, createdAt, updatedAt, forkedFrom } = meta
  const { home, version, status, turns = [], ephemeral = false } = context
  return {
    id,
    environments: environmentsOf(cwd, settings?.writableRoots),
    extra: null,
    sessionId: id,
    forkedFromId: forkedFrom?.id ?? null,
    attachedToThreadId: null,
    parentThreadId: null,
    preview: title,
    ephemeral,
    section: null,
    sectionEnteredAt: null,
    projectId: null,
    historyMode: 'paginated',
    modelProvider: settings?.modelProvider ?? '',
    model: settings?.model ?? null,
    reasoningEffort: settings?.effort ?? null,
    createdAt: seconds(createdAt),
    updatedAt: seconds(updatedAt),
    recencyAt: seconds(updatedAt),
    status,
    path: ephemeral ? null : (sessionPaths(home, id)?.log ?? null),
    cwd,
    cliVersion: version,
    originator: 'parley',
    source: 'cli',
    canAcceptDirectInput: true,
    threadSource: 'user',
    agentNickname: null,
    agentRole: null,
    gitInfo: null,
    name,
    daybreakEnabled: null,
    turns,
  }
}

export function statusOf(core: ConversationCore): ThreadStatus {
  if (core.turn === null) return { type: 'idle' }
  return { type: 'active', activeFlags: unansweredApprovals(core).length > 0 ? ['waitingOnApproval'] : [] }
}
