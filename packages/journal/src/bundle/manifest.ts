import { createHash } from 'node:crypto'
import type { ConversationId } from '@parley/protocol'
import { isRecord, parseJson } from '@parley/text'
import { isConversationId } from '../disk/session-paths.ts'

const BUNDLE_FORMAT = 1

export const MANIFEST_NAME = 'manifest.json'
export const LOG_NAME = 'log.jsonl.gz'
const SIDE_FILE_NAME = /^files\/sha256-([0-9a-f]{64})\.gz$/

export function sideFileName(ref: string): string {
  return `files/${ref.replace(':', '-')}.gz`
}

/** Returns the reference of the side file with this name; null for any other name. */
export function sideFileRefOf(name: string): string | null {
  const hash = SIDE_FILE_NAME.exec(name)?.[1]
  return hash === undefined ? null : `sha256:${hash}`
}

/** Facts of the conversation in a bundle, which do not depend on how it is stored. */
export interface BundleAbout {
  /** Name and version of the program that wrote it. */
  readonly program: string
  /** ms since the epoch. */
  readonly createdAtMs: number
  readonly conversationId: ConversationId
  /** Name or title, for display. */
  readonly name: string
  /** Seq of the last event. */
  readonly seq: number
  /** Digest of the state after the last event. */
  readonly digest: string
  readonly withoutOutputs: boolean
  /** References of side files that the log names and that were missing or damaged. */
  readonly missing: readonly string[]
}

/** File in a bundle, compressed with gzip. */
export interface BundleEntry {
  readonly name: string
  readonly storedBytes: number
  /** Bytes once it is unpacked. */
  readonly sizeBytes: number
  /** Hash of the stored bytes, in hexadecimal. */
  readonly sha256: string
}

export interface BundleManifest extends BundleAbout {
  readonly bundle: number
  readonly entries: readonly BundleEntry[]
}

/** Encodes a manifest. Its last key is the hash of all bytes before that key. */
export function encodeManifest(about: BundleAbout, entries: readonly BundleEntry[]): Buffer {
  const body = JSON.stringify({ bundle: BUNDLE_FORMAT, ...about, entries }).slice(0, -1)
  return Buffer.from(`${body},"sha256":"${hashOf(body)}"}\n`)
}

/** Decodes a manifest. Returns null when its hash does not match its bytes; of a newer one, reads the format alone. */
export function decodeManifest(
  bytes: Buffer,
): BundleManifest | { readonly bundle: number; readonly newer: true } | null {
  const found = /^(.*),"sha256":"([0-9a-f]{64})"\}\n$/s.exec(bytes.toString())
  if (found?.[1] === undefined || hashOf(found[1]) !== found[2]) return null
  const value = parseJson(`${found[1]}}`)
  if (!isRecord(value) || !Number.isSafeInteger(value['bundle'])) return null
  const bundle = Number(value['bundle'])
  if (bundle > BUNDLE_FORMAT) return { bundle, newer: true }
  return isManifest(value) ? value : null
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function isManifest(
  value: Readonly<Record<string, unknown>>,
): value is Readonly<Record<string, unknown>> & BundleManifest {
  const { program, createdAtMs, conversationId, name, seq, digest, withoutOutputs, missing, entries } = value
  return (
    [program, name, digest].every((text) => typeof text === 'string') &&
    typeof conversationId === 'string' &&
    isConversationId(conversationId) &&
    isCount(createdAtMs) &&
    isCount(seq) &&
    typeof withoutOutputs === 'boolean' &&
    Array.isArray(missing) &&
    missing.every((ref) => typeof ref === 'string') &&
    Array.isArray(entries) &&
    entries.every(isEntry)
  )
}

function isEntry(value: unknown): value is BundleEntry {
  if (!isRecord(value)) return false
  const { name, storedBytes, sizeBytes, sha256 } = value
  return typeof name === 'string' && typeof sha256 === 'string' && isCount(storedBytes) && isCount(sizeBytes)
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
