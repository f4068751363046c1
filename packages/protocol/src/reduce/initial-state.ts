import type { TokenCounts } from '../schema/event.ts'
import type { ConversationId } from '../schema/ids.ts'
import type { Settings } from '../schema/settings.ts'
import type { ConversationState } from '../schema/state.ts'

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
