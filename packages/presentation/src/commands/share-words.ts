import type { Access, ConversationId, ParamsOf, ResultOf, Role, UserName } from '@parley/protocol'
import type { Notice } from '../notices/notice.ts'
import { countOf } from '../text/formats.ts'

/** Change of access to a conversation, as `/share` words it; the role `null` takes access away. */
export type ShareRequest =
  | { readonly kind: 'give'; readonly user: UserName; readonly role: Role | null }
  | { readonly kind: 'link'; readonly days: number | null }
  | { readonly kind: 'revoke'; readonly linkId: string }

/** Roles by the words for them, the most rights first; null takes a role away. */
export const shareableRoles: Readonly<Record<string, Role | null>> = {
  owner: 'owner',
  editor: 'editor',
  approver: 'approver',
  reader: 'reader',
  none: null,
}

/** Returns the role that a word names; undefined for any other word. */
export function roleNamed(word: string): Role | null | undefined {
  return Object.hasOwn(shareableRoles, word) ? shareableRoles[word] : undefined
}

/** Reads the words after `/share`; null for words that mean no change of access. */
export function readShare(words: string): ShareRequest | null {
  const [first = '', second = '', ...more] = words.split(/\s+/)
  if (first === '' || more.length > 0) return null
  if (first === 'link') {
    const days = second === '' ? null : Number(second)
    return days === null || (Number.isInteger(days) && days > 0) ? { kind: 'link', days } : null
  }
  if (first === 'revoke') return second === '' ? null : { kind: 'revoke', linkId: second }
  const role = roleNamed(second)
  return role === undefined ? null : { kind: 'give', user: first, role }
}

/** Returns the table of people and links with access to a conversation. */
export function accessTable(access: Access | undefined, nowMs: number): Notice {
  const { members, links } = access ?? { members: [], links: [] }
  const rows = [
    ...members.map(({ user, role }): readonly [string, string] => [user, role]),
    ...links.map(({ linkId, expiresAt }): readonly [string, string] => [
      `link ${linkId}`,
      `reads for ${leftText(expiresAt - nowMs)}; /share revoke ${linkId} ends it`,
    ]),
  ]
  const title =
    rows.length === 0
      ? 'No user of a server reaches this conversation'
      : 'Who reaches this conversation: /share USER owner, editor, approver, reader or none changes it; /share link makes a link'
  return { kind: 'table', title, rows }
}

/** Describes a link: by its address, or by its code where the server serves no page. */
export function linkNotice(
  { code, url, linkId, expiresAt }: ResultOf<'conversation/link/make'>,
  nowMs: number,
): Notice {
  const rows: readonly (readonly [string, string])[] = [
    url === undefined ? ['code', `${code} (a token for --token-file)`] : ['in a browser', url],
    ['reads for', leftText(expiresAt - nowMs)],
    ['ends it', `/share revoke ${linkId}`],
  ]
  return { kind: 'table', title: 'Whoever has this link reads the conversation. It is not shown again', rows }
}

const hourMs = 3_600_000

/** Returns the time that is left, in days or, below two of them, in hours. */
function leftText(leftMs: number): string {
  const hours = Math.max(0, Math.ceil(leftMs / hourMs))
  return hours > 48 ? countOf(Math.round(hours / 24), 'day') : countOf(hours, 'hour')
}

const dayMs = 24 * 3_600_000

type SharingMethod = 'conversation/share' | 'conversation/link/make' | 'conversation/link/revoke'

interface SharingServer {
  request<M extends SharingMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>
}

/** Gives or takes access to a conversation. Resolves to a notice of the change. */
export async function shareConversation(
  asked: ShareRequest,
  { conversationId, nowMs }: { readonly conversationId: ConversationId; readonly nowMs: number },
  server: SharingServer,
): Promise<Notice> {
  switch (asked.kind) {
    case 'give': {
      const { user, role } = asked
      await server.request('conversation/share', { conversationId, user, role })
      return note(role === null ? `${user} does not reach this conversation any more.` : `${user} is ${role} here now.`)
    }
    case 'link': {
      const life = asked.days === null ? {} : { lifeMs: asked.days * dayMs }
      return linkNotice(await server.request('conversation/link/make', { conversationId, ...life }), nowMs)
    }
    case 'revoke':
      await server.request('conversation/link/revoke', { conversationId, linkId: asked.linkId })
      return note(`The link ${asked.linkId} shows nothing any more.`)
  }
}

function note(text: string): Notice {
  return { kind: 'note', level: 'info', text }
}
