import type { ItemOf } from '@parley/protocol'

type Notice = ItemOf<'notice'>
type Said = Pick<Notice, 'level' | 'code' | 'title'> & { readonly text?: string }

/** Something that a conversation says of itself in its transcript. */
export function noticeItem(id: string, { text = '', ...said }: Said): Notice {
  return { id, type: 'notice', status: 'completed', ...said, text }
}
