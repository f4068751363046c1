import { looserSandbox } from '@parley/config'
import { isConversationId } from '@parley/journal'
import {
  type Access,
  type Accessed,
  actingMethods,
  type ConversationId,
  type ConversationRight,
  isStricterSandbox,
  type MethodName,
  type MethodRight,
  machineMethods,
  mayUseMachine,
  methodRules,
  type Rights,
  type SandboxMode,
  writingMethods,
} from '@parley/protocol'
import type { RpcError } from '@parley/rpc'
import { isRecord } from '@parley/text'
import type { Conversation } from '../conversation/conversation.ts'
import { assertCallersConfig } from '../limits/callers-config.ts'
import { aboveOwnCeiling } from '../limits/ceiling.ts'
import type { Guest } from '../limits/may-loosen.ts'
import { noConversation, notPermitted, rejection } from '../replies/rejection.ts'

/** Users and links that reach a conversation; without `access` no server with users has had it. */
export interface Reached {
  readonly access?: Access
  /** Sandbox mode of one that this process writes. */
  readonly sandbox?: SandboxMode
  /** Tells if a user may work where it works; of one that this process writes. */
  readonly mayWork?: (user: string) => boolean
}

/** Conversation that is open here. */
export interface OpenedConversation {
  readonly conversation: Pick<Conversation, 'readOnly' | 'state'>
  readonly mayWork: (user: string) => boolean
}

/** Returns the users and links that reach an open conversation; null where it is not open or only viewed. */
export function reachedIn(open: OpenedConversation | undefined): Reached | null {
  if (open === undefined || open.conversation.readOnly) return null
  const { meta, settings } = open.conversation.state.core
  return { ...meta, sandbox: settings.sandbox, mayWork: open.mayWork }
}

export interface AccessSource {
  /** Returns the access to a conversation that this process writes; null for any other conversation. */
  openAccess(conversationId: ConversationId): Reached | null
  /** Resolves to the access to a conversation as every server sees it; null for an unknown conversation. */
  storedAccess(conversationId: ConversationId): Promise<Reached | null>
}

/** Throws or rejects where a client may not make a request. */
export type CheckRight = (rights: Rights, method: MethodName, params: object) => void | Promise<void>

/**
 * Returns the one check of all requests. It gives the same answer, after the same work, for a conversation that the
 * client may not read and for one that does not exist.
 */
export function createRightCheck(source: AccessSource): CheckRight {
  return (rights, method, params) => {
    if (rights.person.kind === 'operator') return
    rights.renew()
    const { right } = methodRules[method]
    if (!isOfConversation(right)) {
      if (right !== 'copy' && !rights.has(right)) throw missingRight(right, method)
      assertOwnParams(params)
      if (right !== 'copy') return
      if (!rights.has('user')) throw missingRight('user')
    } else assertOwnParams(params)
    const needed = right === 'copy' ? 'read' : right
    const conversationId = conversationOf(params)
    const open = source.openAccess(conversationId)
    if (open !== null && rights.permits(needed, { conversationId, access: open.access }))
      return assertMayAct(rights, { method, open })
    return lookUp(conversationId, { rights, needed, method })
  }

  async function lookUp(
    conversationId: ConversationId,
    { rights, needed, method }: { rights: Rights; needed: ConversationRight; method: MethodName },
  ): Promise<void> {
    // Looked up also for one that is open here, so that time does not tell it from one that does not exist.
    const stored = isConversationId(conversationId) ? await source.storedAccess(conversationId) : null
    // It may have been opened meanwhile.
    const open = source.openAccess(conversationId)
    const found = open ?? stored
    const reached = { conversationId, access: found?.access }
    if (found === null || !rights.permits('read', reached)) throw noConversation(conversationId)
    if (!rights.permits(needed, reached)) throw missingRole(needed)
    if (open !== null) assertMayAct(rights, { method, open })
  }
}

/** Rejects parameters beyond a client's conversations and ceiling: programs, keys and files of the server. */
function assertOwnParams(params: object): void {
  const { overrides, settings }: { overrides?: unknown; settings?: unknown } = params
  for (const part of [params, overrides, settings]) {
    if (!isRecord(part)) continue
    if (isRecord(part['config'])) assertCallersConfig({ ...part['config'] }, 'user')
    if (typeof part['policyFile'] === 'string')
      throw rejection('notPermitted', 'A file of rules is for whoever runs the server to name.')
  }
  if ('where' in params && params.where === 'user')
    throw rejection(
      'notPermitted',
      'What all conversations of a server are told is for whoever runs it to write. Remember it for the project.',
    )
  if (contentsIn(params).some((part) => typeof part['path'] === 'string'))
    throw rejection(
      'notPermitted',
      'The path of an image is one of the machine of the server, so it is for whoever runs the server. Send what the file holds, as a data: URL.',
    )
}

/** Returns the parts of a message that a client sends or edits; an empty list for any other request. */
function contentsIn(params: object): readonly Readonly<Record<string, unknown>>[] {
  const given = 'input' in params ? params.input : 'content' in params ? params.content : []
  return Array.isArray(given) ? given.filter(isRecord) : []
}

/** Throws for work in a conversation that may do more than the user, or on a machine that is not for this user. */
function assertMayAct(rights: Rights, { method, open }: { method: MethodName; open: Reached }): void {
  const { maxSandbox } = rights
  const { sandbox, mayWork } = open
  if (machineMethods.has(method) && mayWork !== undefined && !mayUseMachine(rights, mayWork)) throw machineOfAnother()
  if (!actingMethods.has(method) || maxSandbox === null || sandbox === undefined) return
  const wanted = writingMethods.has(method) ? looserSandbox(sandbox, 'workspace-write') : sandbox
  if (isStricterSandbox(maxSandbox, wanted)) throw aboveOwnCeiling(maxSandbox, wanted)
}

/** Builds the error for a user whom the owner of a machine has not named. */
export function machineOfAnother(next = ''): RpcError {
  return rejection(
    'notPermitted',
    `This conversation works on a machine of another user, who can name you: --users of its exec-server.${next}`,
  )
}

function isOfConversation(right: MethodRight): right is ConversationRight {
  return right === 'read' || right === 'answer' || right === 'edit' || right === 'own'
}

function conversationOf(params: object): ConversationId {
  return 'conversationId' in params && typeof params.conversationId === 'string' ? params.conversationId : ''
}

const rolesWith: Readonly<Record<ConversationRight, string>> = {
  read: 'a reader',
  answer: 'an approver, an editor or an owner',
  edit: 'an editor or an owner',
  own: 'an owner',
}

/** Builds the error for a role with too few rights. */
function missingRole(needed: ConversationRight): RpcError {
  const text = `That is for ${rolesWith[needed]} of the conversation. An owner can change your role.`
  return rejection('notPermitted', text)
}

const missingTexts = {
  anyone: 'This user was removed, or has another token by now.',
  user: 'That is for users of the server, and a link only lets read.',
  admin:
    'That is for users who manage others (admin). Ask one, or whoever runs the server, who can do it on its machine.',
  operator: 'That is for whoever runs the server, on its machine.',
} as const

/** Sentences about methods that users of a team know by another name. */
const methodTexts: Readonly<Partial<Record<MethodName, string>>> = {
  'conversation/runShell':
    'Commands by `!` run outside the sandbox, so they are for whoever runs the server, on its machine. Ask the model to run it.',
}

function missingRight(right: keyof typeof missingTexts, method?: MethodName): RpcError {
  const own = method === undefined ? undefined : methodTexts[method]
  return rejection('notPermitted', own ?? missingTexts[right])
}

/** Returns an open conversation that a client may read. Throws `conversationNotFound`. */
export function assertMayRead<Opened extends OpenedConversation>({ rights }: Guest, open: Opened): Opened {
  const { meta } = open.conversation.state.core
  if (!rights.permits('read', meta)) throw noConversation(meta.conversationId)
  return open
}

/** Returns an open conversation if the client may change its settings. Throws `notPermitted`. */
export function assertMayChange<Opened extends OpenedConversation>(guest: Guest, open: Opened): Opened {
  assertMaySet(guest, open.conversation.state.core.meta)
  return open
}

function assertMaySet({ access, rights }: Guest, conversation: Accessed): void {
  if (access === 'readOnly') throw notPermitted('changes its settings')
  if (!rights.permits('edit', conversation)) throw missingRole('edit')
}

/** Source of facts on conversations that are not open here. */
export interface Unopened {
  access(conversationId: ConversationId): Promise<Reached | null>
  /** Resolves to the rejection that names the other server with the conversation; null where no other server has it. */
  elsewhere(conversationId: ConversationId): Promise<RpcError | null>
}

/**
 * Rejects where a client may not open a conversation for writing, which could begin waiting work: with the server that has
 * it, if one does. `changes`: its settings are to be changed.
 */
export async function assertMayOpen(
  guest: Guest,
  { conversationId, changes }: { readonly conversationId: ConversationId; readonly changes: boolean },
  stored: Unopened,
): Promise<void> {
  const next = 'Resume it with `readOnly`.'
  if (guest.access === 'readOnly')
    throw (await stored.elsewhere(conversationId)) ?? notPermitted('opens it for writing', next)
  if (guest.rights.has('operator')) return
  const reached = { conversationId, access: (await stored.access(conversationId))?.access }
  if (!guest.rights.permits('answer', reached))
    throw (
      (await stored.elsewhere(conversationId)) ??
      rejection('notPermitted', `Nobody has this conversation open, and a reader does not open it for writing. ${next}`)
    )
  if (changes) assertMaySet(guest, reached)
}
