import { crc32 } from 'node:zlib'
import type { ConversationId } from '@parley/protocol'

/** Number of streams that conversations are spread over. Each stream is replicated by itself. */
export const shardCount = 8

/** Largest message, in bytes; a longer line is an object. A server allows 1 MiB unless it is told otherwise. */
export const messageBytes = 512 * 1024

/** Limit for messages that a server must allow: a message with its headers fits twice. */
export const leastPayloadBytes = 1024 * 1024

/** Time after which the lease of a node that does not renew it ends, in ms. */
export const leaseMs = 3000

export const buckets = {
  /** Identity of the store: its id and when each stream was made. */
  about: 'parley_about',
  /** Leases of the server processes. */
  nodes: 'parley_nodes',
  /** Node that writes a conversation. */
  owners: 'parley_owners',
  /** Facts that lists show of conversations. */
  rows: 'parley_rows',
  /** Answers of users about what lies in environments. */
  answers: 'parley_answers',
} as const

/** Object store of side files and long lines. */
export const objectBucket = 'parley_objects'
export const objectStream = `OBJ_${objectBucket}`

/** Beginning of the subjects of the facts about objects, before their names in base64. */
export const metaSubjects = `$O.${objectBucket}.M.`

/** Returns the place of the chunks of an object, by the name that the library gave them. */
export function chunksOf(nuid: string): LogPlace {
  return { stream: objectStream, subject: `$O.${objectBucket}.C.${nuid}` }
}

export interface LogPlace {
  readonly stream: string
  readonly subject: string
}

export function placeOf(conversationId: ConversationId): LogPlace {
  const shard = crc32(conversationId) % shardCount
  return { stream: streamName(shard), subject: `parley.log.${shard}.${conversationId}` }
}

/** Returns the subject of the entry of a conversation in the bucket of owners. */
export function ownerSubject(conversationId: ConversationId): string {
  return `$KV.${buckets.owners}.${conversationId}`
}

export function streamName(shard: number): string {
  return `PARLEY_LOG_${shard}`
}

export function subjectsOf(shard: number): string {
  return `parley.log.${shard}.*`
}

export const messageHeaders = {
  /** Bytes of the log that the message holds, as `FROM-TO`. */
  bytes: 'Parley-Bytes',
  /** Claim that wrote it, as `EPOCH.NAME`. */
  claim: 'Parley-Claim',
  /** Names of the side files that lines of the message name, parted by commas; of many the name of the object that has them. */
  files: 'Parley-Files',
  /** Name of the object with the bytes, for a line that is too long for a message. */
  object: 'Parley-Object',
} as const
