import type { Approval, Enforcement, ItemOf } from '@parley/protocol'

export type NoticeLevel = ItemOf<'notice'>['level']

/** What this program itself has to say; no part of the conversation. */
export type Notice =
  | { readonly kind: 'note'; readonly level: NoticeLevel; readonly text: string }
  | { readonly kind: 'table'; readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  | { readonly kind: 'greeting'; readonly program: string; readonly facts: readonly string[] }
  /** All of a question. `enforcement`: what enforces limits where it would run. */
  | { readonly kind: 'approvalDetail'; readonly approval: Approval; readonly enforcement: Enforcement }
