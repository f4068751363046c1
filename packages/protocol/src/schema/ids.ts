import * as z from 'zod'
import { leftAlone } from './redaction-marks.ts'

declare const kind: unique symbol

/** String that names one kind of thing. A plain string may become one; an id of another kind does not compile. */
type Id<Kind extends string> = string & { readonly [kind]?: Kind }

export type ConversationId = Id<'conversation'>
export type TurnId = Id<'turn'>
export type ItemId = Id<'item'>
export type ApprovalId = Id<'approval'>
/** Id of a user message, as `conversation/sendMessage` gave it. */
export type MessageId = Id<'message'>
/** Key of a client for a request that starts something, so that a repeat starts nothing. */
export type RequestKey = Id<'request'>
/** Id of a client's connection. */
export type ClientId = Id<'client'>

/** Schemas of ids. They decode as plain strings; only the types differ. */
export const conversationId: z.ZodType<ConversationId, ConversationId> = leftAlone(z.string(), 'id')
export const turnId: z.ZodType<TurnId, TurnId> = leftAlone(z.string(), 'id')
export const itemId: z.ZodType<ItemId, ItemId> = leftAlone(z.string(), 'id')
export const approvalId: z.ZodType<ApprovalId, ApprovalId> = leftAlone(z.string(), 'id')
export const messageId: z.ZodType<MessageId, MessageId> = leftAlone(z.string(), 'id')
export const requestKey: z.ZodType<RequestKey, RequestKey> = leftAlone(z.string(), 'id')
export const clientId: z.ZodType<ClientId, ClientId> = leftAlone(z.string(), 'id')
