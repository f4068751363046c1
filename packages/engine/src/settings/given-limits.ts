import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { stricterSandbox } from '@parley/config'
import { configDefaults } from '@parley/config/defaults'
import { readIfExists } from '@parley/host'
import { type Files, makeFolders, replaceFile, sessionPaths } from '@parley/journal'
import type { Projects } from '@parley/policy'
import type { ConversationState, Overrides, Settings } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import * as z from 'zod'
import { type Ceiling, leastCeiling } from '../limits/ceiling.ts'
import { configHere, configOnly, readConfig } from './read-config.ts'

type Permissions = Pick<Settings, 'approvalPolicy' | 'sandbox'>

/** Limits that configuration, flags and people gave. A log can narrow them and never widen them. */
export interface GivenLimits extends Permissions {
  /** True where full access may go with the policy `never`. */
  readonly neverWithFullAccess: boolean
  readonly writableRoots: readonly string[]
}

interface GivenLimitsPorts {
  readonly home: string
  readonly projects: Pick<Projects, 'of'>
  readonly ceiling: () => Ceiling
}

/**
 * Returns the limits that a recorded conversation may have in this process: those of the configuration of its folder, the
 * caller's profile and `-c`, and the server's flags. `sealed` are folders that a person gave it in an earlier process.
 */
export function givenLimits(
  { core }: ConversationState,
  { overrides, sealed }: { readonly overrides: Overrides; readonly sealed: readonly string[] },
  { home, projects, ceiling }: GivenLimitsPorts,
): GivenLimits {
  const isHere = core.settings.environment === undefined
  const values = isHere
    ? configHere(overrides.cwd ?? core.meta.cwd, configOnly(overrides), { home, projects }).effective.values
    : readConfig(home, configOnly(overrides)).values
  const { sandbox: most, neverWithFullAccess } = ceiling()
  const { sandbox_mode: sandbox = configDefaults.sandbox_mode } = values
  const { approval_policy: approvalPolicy = configDefaults.approval_policy } = values
  const roots = isHere ? (values.sandbox_workspace_write?.writable_roots ?? []) : []
  return {
    // Only a flag or the user's own file raises the ceiling to full access.
    sandbox: most === 'danger-full-access' && sandbox === leastCeiling ? most : sandbox,
    approvalPolicy,
    neverWithFullAccess,
    writableRoots: [...roots, ...sealed],
  }
}

/** Narrows recorded permissions to the given ones. */
export function withinGiven(recorded: Permissions, given: GivenLimits): Permissions {
  return {
    sandbox: stricterSandbox(recorded.sandbox, given.sandbox),
    approvalPolicy: asksEnough(recorded.approvalPolicy, given) ? recorded.approvalPolicy : given.approvalPolicy,
  }
}

/**
 * Returns false for a policy under which something runs unasked that the given one asks about: any but `untrusted` where
 * that is given. `never` with full access is the ceiling's affair.
 */
function asksEnough(policy: Settings['approvalPolicy'], { approvalPolicy, neverWithFullAccess }: GivenLimits): boolean {
  if (policy === approvalPolicy || approvalPolicy !== 'untrusted') return true
  return policy === 'never' && neverWithFullAccess
}

/** Gift of a person to one conversation, beyond the configuration: added folders and a file of rules. */
export interface PersonsGift {
  readonly writableRoots: readonly string[]
  readonly policyFile: string | null
}

/** Gift as it is kept; each change of one has the next number. */
interface KeptGift extends PersonsGift {
  readonly nth: number
}

const nothing: KeptGift = { writableRoots: [], policyFile: null, nth: 0 }

export interface SealPorts {
  readonly home: string
  readonly redaction: Pick<Redaction, 'seal'>
}

const sealedSchema = z.object({
  writableRoots: z.array(z.string()),
  policyFile: z.string().nullable(),
  // Left out by earlier programs.
  nth: z.int().min(0).default(0),
  seal: z.string(),
})

/** Reads what a person gave a conversation in an earlier process; nothing where the seal is missing or wrong. */
export function readGift({ home, redaction }: SealPorts, conversationId: string): KeptGift {
  const path = giftPath(home, conversationId)
  return unsealedGift(redaction, conversationId, path === null ? null : parsed(path)) ?? nothing
}

/** Returns the gift that a value is; null where the seal is missing or wrong. */
export function unsealedGift(
  redaction: SealPorts['redaction'],
  conversationId: string,
  value: unknown,
): KeptGift | null {
  const read = sealedSchema.safeParse(value)
  if (!read.success) return null
  const { seal, ...gift } = read.data
  return seal === redaction.seal(sealedText(conversationId, gift)) ? gift : null
}

/** Returns a gift with its seal, as it is kept. */
export function sealedGift(redaction: SealPorts['redaction'], id: string, gift: KeptGift) {
  return { ...gift, seal: redaction.seal(sealedText(id, gift)) }
}

/**
 * Keeps what a person gave a conversation beside its log, sealed with the key of this home. A foreign or changed log
 * thus cannot name its own folders and rules. Writes only differences.
 */
export function keepGift(ports: KeepPorts, id: string, { writableRoots, policyFile }: PersonsGift): void {
  const { nth, ...known } = readGift(ports, id)
  const gift = { writableRoots, policyFile }
  if (!isDeepStrictEqual(known, gift)) writeGift(ports, id, { ...gift, nth: nth + 1 })
}

type KeepPorts = SealPorts & { readonly files: Files }

/** Keeps a gift that another server has carried here, unless a newer one was seen: who may write to a store could put it back. */
export function takeGift(ports: KeepPorts, id: string, gift: KeptGift): void {
  const known = readGift(ports, id)
  if (gift.nth >= known.nth && !isDeepStrictEqual(known, gift)) writeGift(ports, id, gift)
}

function writeGift({ home, redaction, files }: KeepPorts, id: string, gift: KeptGift): void {
  const path = giftPath(home, id)
  if (path === null) return
  makeFolders(files, dirname(path))
  replaceFile(files, path, JSON.stringify(sealedGift(redaction, id, gift)))
}

function sealedText(id: string, { writableRoots, policyFile, nth }: KeptGift): string {
  return JSON.stringify([id, writableRoots, policyFile, ...(nth === 0 ? [] : [nth])])
}

/** Returns the path of what people gave a conversation; null for what is no id. */
export function giftPath(home: string, id: string): string | null {
  const paths = sessionPaths(home, id)
  return paths === null ? null : join(paths.sideFiles, 'given.json')
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readIfExists(path) ?? 'null')
  } catch {
    return null
  }
}
