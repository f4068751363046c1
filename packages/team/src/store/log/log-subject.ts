import { setTimeout as pause } from 'node:timers/promises'
import type { StoredMsg } from '@nats-io/jetstream'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { ConversationId } from '@parley/protocol'
import { askAgain } from '../connection/ask-again.ts'
import type { Connected } from '../connection/connect-store.ts'
import { messageHeaders, placeOf } from '../connection/layout.ts'
import { publishNext } from '../connection/publish-next.ts'
import { isStreamMissing } from '../connection/store-trouble.ts'
import { type SequenceRange, walkSubject } from './walk-subject.ts'

/**
 * Name of a claim, as `EPOCH.RANDOM`. A writer knows its own messages by it, and a reader tells apart those of several
 * writers.
 */
export type ClaimName = `${number}.${string}`

export interface LogMessage {
  readonly sequence: number
  /** First byte of the log that it holds, and the byte behind the last; both the same for a fence. */
  readonly from: number
  readonly to: number
  /** Claim that wrote it; no other has the same. */
  readonly claim: ClaimName
  /** Names of the side files that its lines name; of many the object that has the names (`sideFilesOf`). */
  readonly files: readonly string[]
  /** Object that has the bytes; null where the message has them. */
  readonly object: string | null
  readonly bytes: Uint8Array
}

/** Message before it has a sequence. */
export type NewMessage = Omit<LogMessage, 'sequence'>

/** Messages of one conversation up to a sequence. */
interface Stretch {
  readonly found: readonly LogMessage[]
  readonly end: number
}

/** Place behind a message; both numbers are 0 before the first. */
type Behind = Pick<LogMessage, 'sequence' | 'to'>

/** Place before the first message. */
export const atBeginning: Behind = { sequence: 0, to: 0 }

/** Messages of one conversation, which are its log. */
export interface LogSubject {
  /**
   * Stores a message after the one with the sequence `after`, and resolves to its own; it may have been stored by an
   * earlier try. Rejects with `OutrunError` where another is there, else with the library's error.
   */
  publish(message: NewMessage, after: number): Promise<number>
  /** Resolves to the newest message as the leader of the stream has it; null for an empty subject. */
  last(): Promise<LogMessage | null>
  /** Resolves to the message with a sequence; null where it is missing or of another conversation. */
  at(sequence: number): Promise<LogMessage | null>
  /**
   * Reads the messages behind a place, oldest first, and ends with the newest, which the caller has. Leaves out fences
   * right before it. Rejects where the store does not have what comes before it now.
   */
  read(behind: Behind, newest: LogMessage): AsyncGenerator<LogMessage>
}

/** Error for a message with a place that another message has taken. */
export class OutrunError extends Error {
  override readonly name = 'OutrunError'
  /** Newest message; null for an empty subject. */
  readonly last: LogMessage | null

  constructor(subject: string, last: LogMessage | null) {
    super(`another message follows on ${subject}`)
    this.last = last
  }
}

/** Messages that are read one after the other, before it is known how far they are from each other. */
const readAlone = 16
/** Messages that are read together from then on. */
const readTogether = 64
/** Requests that are on their way at once then. */
const lanes = 8

export function logSubject({ streams, admin }: Connected, conversationId: ConversationId): LogSubject {
  const { stream, subject } = placeOf(conversationId)

  /** Reads messages until one ends at `endBytes`, or there are as many as may be. */
  async function walk(range: SequenceRange, endBytes: number, most = Number.POSITIVE_INFINITY): Promise<Stretch> {
    const found: LogMessage[] = []
    for await (const stored of walkSubject(admin, { stream, subject }, range)) {
      const message = messageOf(stored)
      found.push(message)
      if (found.length === most || message.to === endBytes) return { found, end: message.sequence }
    }
    return { found, end: range.last }
  }

  async function walkTogether({ after, last }: SequenceRange, endBytes: number): Promise<Stretch> {
    const parts = await Promise.all(partsOf({ after, last }).map((part) => walk(part, endBytes)))
    const found = parts.flatMap((part) => part.found)
    const lastFound = found.at(-1)
    return { found, end: lastFound?.to === endBytes ? lastFound.sequence : last }
  }

  async function* read(behind: Behind, newest: LogMessage): AsyncGenerator<LogMessage> {
    const { sequence: last, from: endBytes } = newest
    let { sequence: at, to: reached } = behind
    let span: number | null = null
    while (at < last && reached !== endBytes) {
      const range = { after: at, last: span === null ? last : Math.min(last, at + span) }
      const { found, end }: Stretch = await (span === null
        ? walk(range, endBytes, readAlone)
        : walkTogether(range, endBytes))
      const lastFound = found.at(-1)
      if (end === last && lastFound?.sequence !== last) throw new Error(`${stream} does not have ${last} now`)
      yield* found
      // Other conversations have messages in between.
      span = Math.ceil(((end - at) / Math.max(1, found.length)) * readTogether)
      at = end
      reached = lastFound?.to ?? reached
    }
    if (at < last) yield newest
  }

  async function newest(): Promise<LogMessage | null> {
    const found = await askAgain(() => admin.streams.getMessage(stream, { last_by_subj: subject }))
    return found === null ? null : messageOf(found)
  }

  return {
    async publish(message, after) {
      const next = { subject, bytes: message.bytes, headers: headersOf(message), after }
      const sequence = await publishNext(streams, next).catch(async (error: unknown) => {
        await assertPresent(admin, stream)
        throw error
      })
      if (sequence !== null) return sequence
      const last = await newest()
      if (last !== null && isSame(last, message)) return last.sequence
      // What outran it is on its way: it is tried again.
      if (last !== null && last.sequence === after) throw new Error(`a message is being stored on ${subject}`)
      throw new OutrunError(subject, last)
    },
    last: newest,
    async at(sequence) {
      const found = await askAgain(() => admin.streams.getMessage(stream, { seq: sequence }))
      return found === null || found.subject !== subject ? null : messageOf(found)
    },
    read,
  }
}

/** Time between two looks for a stream, in ms: servers that have just started may not know all of theirs. */
const secondLookMs = 2000

/**
 * Rejects with the library's error where a stream is gone: a message to it gets the answer that one gets while its
 * servers elect. Resolves where that cannot be told now.
 */
async function assertPresent({ streams }: Connected['admin'], stream: string): Promise<void> {
  const absence = () =>
    streams.info(stream).then(
      () => null,
      (error: unknown) => (isStreamMissing(error) ? error : null),
    )
  if ((await absence()) === null) return
  await pause(secondLookMs)
  const error = await absence()
  if (error !== null) throw error
}

/** Parts a range into as many as are read at once. */
function partsOf({ after, last }: SequenceRange): SequenceRange[] {
  const step = Math.ceil((last - after) / lanes)
  const parts = Array.from({ length: lanes }, (_, lane) => ({
    after: after + lane * step,
    last: Math.min(last, after + (lane + 1) * step),
  }))
  return parts.filter((part) => part.after < part.last)
}

function isSame(one: NewMessage, other: NewMessage): boolean {
  return one.claim === other.claim && one.from === other.from && one.to === other.to
}

function headersOf({ from, to, claim, files, object }: NewMessage): MsgHdrs {
  const made = headers()
  made.set(messageHeaders.bytes, `${from}-${to}`)
  made.set(messageHeaders.claim, claim)
  if (files.length > 0) made.set(messageHeaders.files, files.join(','))
  if (object !== null) made.set(messageHeaders.object, object)
  return made
}

function messageOf(message: StoredMsg): LogMessage {
  const { seq: sequence, data: bytes } = message
  const text = (name: string): string => message.header.get(name)
  const [from = Number.NaN, to = Number.NaN] = text(messageHeaders.bytes).split('-').map(Number)
  const files = text(messageHeaders.files)
    .split(',')
    .filter((name) => name !== '')
  const object = text(messageHeaders.object)
  return {
    sequence,
    from,
    to,
    claim: claimIn(text(messageHeaders.claim)),
    files,
    object: object === '' ? null : object,
    bytes,
  }
}

/** Reads the name of a claim. Any other text counts as the name of an unknown claim. */
export function claimIn(value: unknown): ClaimName {
  const [, epoch = 0, random = ''] = /^(\d+)\.(.*)$/.exec(String(value)) ?? []
  return `${Number(epoch)}.${random}`
}

export function epochOf(claim: ClaimName): number {
  return Number.parseInt(claim, 10)
}
