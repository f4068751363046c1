import { randomBytes } from 'node:crypto'
import {
  type Access,
  type Actor,
  accessOfNew,
  type ConversationEvent,
  type ConversationState,
  type ParamsOf,
  type ResultOf,
  type Rights,
  type Role,
  type UserName,
} from '@parley/protocol'
import { withoutUndefined } from '@parley/text'
import type { Conversation } from '../conversation/conversation.ts'
import type { Guest } from '../limits/may-loosen.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import { newLinkCode } from './link-code.ts'
import type { Users } from './users.ts'

interface SharePorts {
  readonly by: Actor
  /** Users of the server; null where every client may do everything. */
  readonly users: Users | null
  readonly now: () => number
  /** Origin at which browsers find the page of this server; null where it serves no page. */
  readonly page: string | null
}

const mostMembers = 200
const mostLinks = 50
const usualLifeMs = 7 * 24 * 3_600_000

/** Gives a user a role in a conversation, or takes it away. Throws `invalidParams`. */
export function share(
  conversation: Conversation,
  { user, role }: ParamsOf<'conversation/share'>,
  { by, users, now }: SharePorts,
): { seq: number } {
  const access = currentAccess(conversation.state.core.meta.access, now())
  if (role !== null) assertUser(user, users)
  const members = withRole(access.members, user, role)
  if (!members.some((member) => member.role === 'owner'))
    throw invalidParam('role', 'A conversation keeps an owner: give that role to somebody else first.')
  if (members.length > mostMembers) throw rejection('invalidParams', `A conversation has ${mostMembers} users at most.`)
  return { seq: conversation.record({ type: 'conversation.shared', access: { ...access, members }, by }).seq }
}

function assertUser(user: UserName, users: Users | null): void {
  if (users === null) return
  users.refresh()
  if (!users.has(user)) throw invalidParam('user', `There is no user ${user} on this server.`)
}

function withRole(members: Access['members'], user: UserName, role: Role | null): Access['members'] {
  const others = members.filter((member) => member.user !== user)
  if (role === null) return others
  const known = members.findIndex((member) => member.user === user)
  return known < 0 ? [...members, { user, role }] : members.with(known, { user, role })
}

/** Returns the access without links that have expired. */
function currentAccess(access: Access | undefined, now: number): Access {
  return { members: access?.members ?? [], links: access?.links.filter(({ expiresAt }) => now < expiresAt) ?? [] }
}

/** Makes a link that lets anyone read the conversation. */
export function makeLink(
  conversation: Conversation,
  { lifeMs = usualLifeMs }: ParamsOf<'conversation/link/make'>,
  { by, now, page }: SharePorts,
): ResultOf<'conversation/link/make'> {
  const access = currentAccess(conversation.state.core.meta.access, now())
  if (access.links.length >= mostLinks)
    throw rejection('invalidParams', `A conversation has ${mostLinks} links at most. Revoke one first.`)
  const { code, codeHash } = newLinkCode(conversation.id)
  const expiresAt = now() + lifeMs
  const linkId = randomBytes(4).toString('hex')
  const links = [...access.links, { linkId, codeHash, expiresAt }]
  const { seq } = conversation.record({ type: 'conversation.shared', access: { ...access, links }, by })
  // Browsers send the part after # nowhere, so that the code is in no address, log or header.
  return { seq, linkId, code, expiresAt, ...(page === null ? {} : { url: `${page}/#link=${code}` }) }
}

/** Ends a link. Throws `itemNotFound` for one that is not there. */
export function revokeLink(
  conversation: Conversation,
  { linkId }: ParamsOf<'conversation/link/revoke'>,
  { by, now }: SharePorts,
): { seq: number } {
  const access = currentAccess(conversation.state.core.meta.access, now())
  const links = access.links.filter((link) => link.linkId !== linkId)
  if (links.length === access.links.length)
    throw rejection('itemNotFound', `This conversation has no link ${linkId}; it may have expired.`)
  return { seq: conversation.record({ type: 'conversation.shared', access: { ...access, links }, by }).seq }
}

/** Returns the event that makes the copying user the only owner of a copy. */
export function accessOfCopy({ core }: ConversationState, { actor: by, rights }: Guest): readonly ConversationEvent[] {
  const access = copiedAccess(core.meta.access, rights)
  return access === undefined ? [] : [{ type: 'conversation.shared', access, by }]
}

/** Returns the state of a copy with its new owner, before that event is recorded: its machine checks the owner at once. */
export function asCopyOf({ core, ...state }: ConversationState, { rights }: Pick<Guest, 'rights'>): ConversationState {
  const access = copiedAccess(core.meta.access, rights)
  return { ...state, core: { ...core, meta: { ...core.meta, ...withoutUndefined({ access }) } } }
}

/** Returns the access to a copy; undefined where neither the original nor the copy belongs to a server with users. */
function copiedAccess(original: Access | undefined, rights: Rights): Access | undefined {
  return accessOfNew(rights) ?? (original === undefined ? undefined : { members: [], links: [] })
}
