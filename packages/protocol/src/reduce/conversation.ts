import type { EventOf } from '../schema/event.ts'
import type { TokenCounts } from '../schema/event-parts.ts'
import type { ConversationId } from '../schema/ids.ts'
import type { Settings } from '../schema/settings.ts'
import type { ConversationCore, ConversationState } from '../schema/state.ts'
import { withWaits } from './background.ts'

export const noTokens: TokenCounts = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningTokens: 0 }

const unknownSettings: Settings = {
  model: 'unknown',
  modelProvider: 'unknown',
  approvalPolicy: 'untrusted',
  sandbox: 'read-only',
  enforcement: 'none',
  writableRoots: [],
}

/** The state before the first event. A log that lost its first line keeps the strictest settings. */
export function initialState(
  conversationId: ConversationId,
  forkedFrom: { id: ConversationId; seq: number } | null = null,
): ConversationState {
  return {
    core: {
      seq: 0,
      meta: {
        conversationId,
        cwd: '/',
        createdAt: 0,
        updatedAt: 0,
        title: '',
        name: null,
        archived: false,
        forkedFrom,
      },
      settings: unknownSettings,
      context: null,
      turn: null,
      lastTurn: null,
      open: {},
      approvals: {},
      inbox: [],
      inboxPaused: false,
      plan: null,
      usage: { total: noTokens, last: null, contextWindow: null },
      counts: { turns: 0, items: 0 },
      digest: '',
      requestKeys: [],
    },
    window: [],
  }
}

export type MetaEvent = EventOf<
  | 'conversation.created'
  | 'conversation.configured'
  | 'conversation.moved'
  | 'conversation.renamed'
  | 'conversation.archived'
  | 'conversation.shared'
  | 'conversation.recovered'
  | 'conversation.upgraded'
  | 'context.set'
  | 'plan.updated'
  | 'forwards.changed'
  | 'waits.changed'
>

export function reduceMeta(core: ConversationCore, event: MetaEvent, at: number): ConversationCore {
  const meta = { ...core.meta, updatedAt: at }
  switch (event.type) {
    case 'conversation.created':
      return {
        ...core,
        settings: event.settings,
        meta: {
          ...meta,
          cwd: event.cwd,
          createdAt: at,
          title: event.title ?? '',
          ...(event.access === undefined ? {} : { access: event.access }),
        },
      }
    case 'conversation.configured':
      return { ...core, meta, settings: { ...core.settings, ...definedOnly(event.settings) } }
    case 'conversation.moved':
      return { ...core, meta: { ...meta, cwd: event.cwd }, ...(event.local === true ? { settings: here(core) } : {}) }
    case 'conversation.renamed':
      return { ...core, meta: { ...meta, name: event.name } }
    case 'conversation.archived':
      return { ...core, meta: { ...meta, archived: event.archived } }
    case 'conversation.shared':
      return { ...core, meta: { ...meta, access: event.access } }
    case 'conversation.recovered':
      return { ...core, inboxPaused: core.inbox.length > 0 }
    case 'conversation.upgraded':
      return core
    case 'context.set': {
      const { type: _type, ...context } = event
      return { ...core, context }
    }
    case 'plan.updated':
      return { ...core, plan: event.plan }
    case 'forwards.changed':
      return withForwards(core, event.forwards)
    case 'waits.changed':
      return withWaits(core, event.waits)
  }
}

function withForwards(
  { forwards: _before, ...core }: ConversationCore,
  forwards: NonNullable<ConversationCore['forwards']>,
): ConversationCore {
  return forwards.length === 0 ? core : { ...core, forwards }
}

/** Returns the settings for the machine of the server, without an environment. */
function here({ settings }: ConversationCore): ConversationCore['settings'] {
  const { environment: _environment, ...rest } = settings
  return rest
}

function definedOnly(patch: EventOf<'conversation.configured'>['settings']): Partial<ConversationCore['settings']> {
  const { model, modelProvider, effort, approvalPolicy, sandbox, enforcement, writableRoots, network, unixSockets } =
    patch
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelProvider === undefined ? {} : { modelProvider }),
    ...(effort === undefined ? {} : { effort }),
    ...(approvalPolicy === undefined ? {} : { approvalPolicy }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(enforcement === undefined ? {} : { enforcement }),
    ...(writableRoots === undefined ? {} : { writableRoots }),
    ...(network === undefined ? {} : { network }),
    ...(unixSockets === undefined ? {} : { unixSockets }),
  }
}
