import type { Approval, Enforcement, ItemOf } from '@parley/protocol'

export type NoticeLevel = ItemOf<'notice'>['level']

/** Notice of the program itself, which is not part of the conversation. */
export type Notice =
  | { readonly kind: 'note'; readonly level: NoticeLevel; readonly text: string }
  | { readonly kind: 'table'; readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: 'greeting'; readonly program: string; readonly facts: readonly string[] }
  /** Complete approval. `enforcement`: that of the place where the call would run. */
  | { readonly kind: 'approvalDetail'; readonly approval: Approval; readonly enforcement: Enforcement }
