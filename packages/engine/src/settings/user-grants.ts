import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readIfExists } from '@parley/host'
import { type Files, makeFolders, replaceFile, sessionPaths } from '@parley/journal'
import type { ConversationId } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { isRecord } from '@parley/text'
import * as z from 'zod'

/** Grants of a user to one conversation beyond the configuration: added folders and a file of rules. */
export interface UserGrants {
  readonly writableRoots: readonly string[]
  readonly policyFile: string | null
}

/** Grants as they are kept; each change has the next number. */
interface StoredGrants extends UserGrants {
  readonly nth: number
}

const nothing: StoredGrants = { writableRoots: [], policyFile: null, nth: 0 }

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

/** Reads the grants of an earlier process; no grants where the seal is missing or wrong. */
export function readGrants({ home, redaction }: SealPorts, conversationId: string): StoredGrants {
  const path = grantsPath(home, conversationId)
  return unsealGrants(redaction, conversationId, path === null ? null : parsed(path)) ?? nothing
}

/** Returns a stored value as grants; null where the seal is missing or wrong. */
function unsealGrants(redaction: SealPorts['redaction'], conversationId: string, value: unknown): StoredGrants | null {
  const read = sealedSchema.safeParse(value)
  if (!read.success) return null
  const { seal, ...grants } = read.data
  return seal === redaction.seal(sealedText(conversationId, grants)) ? grants : null
}

/** Returns grants with their seal, as they are kept. */
function sealGrants(redaction: SealPorts['redaction'], id: string, grants: StoredGrants) {
  return { ...grants, seal: redaction.seal(sealedText(id, grants)) }
}

/**
 * Keeps the grants of a conversation beside its log, sealed with the key of this home. A foreign or changed log thus
 * cannot name its own folders and rules. Writes only differences.
 */
export function keepGrants(ports: KeepPorts, id: string, { writableRoots, policyFile }: UserGrants): void {
  const { nth, ...known } = readGrants(ports, id)
  const grants = { writableRoots, policyFile }
  if (!isDeepStrictEqual(known, grants)) writeGrants(ports, id, { ...grants, nth: nth + 1 })
}

type KeepPorts = SealPorts & { readonly files: Files }

/** Keeps grants that another server has carried here, unless newer ones were seen: a writer of the store could put old ones back. */
function takeCarriedGrants(ports: KeepPorts, id: string, grants: StoredGrants): void {
  const known = readGrants(ports, id)
  if (grants.nth >= known.nth && !isDeepStrictEqual(known, grants)) writeGrants(ports, id, grants)
}

function writeGrants({ home, redaction, files }: KeepPorts, id: string, grants: StoredGrants): void {
  const path = grantsPath(home, id)
  if (path === null) return
  makeFolders(files, dirname(path))
  replaceFile(files, path, JSON.stringify(sealGrants(redaction, id, grants)))
}

function sealedText(id: string, { writableRoots, policyFile, nth }: StoredGrants): string {
  return JSON.stringify([id, writableRoots, policyFile, ...(nth === 0 ? [] : [nth])])
}

/** Returns the path of the grants of a conversation; null for a text that is not an id. */
function grantsPath(home: string, id: string): string | null {
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

/** Carries the grants of conversations from one server of a store to the next. */
export interface CarriedGrants {
  /** Returns a reader of the sealed grants of a conversation and its file of rules; it returns null for no grants. */
  readerOf(conversationId: ConversationId): () => object | null
  /** Keeps grants that another server has carried here, unless their seal is wrong. */
  receive(conversationId: ConversationId, carried: unknown): void
}

export function createCarriedGrants(ports: KeepPorts): CarriedGrants {
  const { files, home, redaction } = ports
  return {
    readerOf(id) {
      const path = grantsPath(home, id)
      let known: { readonly file: string; readonly carried: object } | null = null
      return () => {
        const facts = path === null ? null : files.look(path)
        // Each change of the grants makes a new file.
        const file = facts === null ? null : `${facts.inode} ${facts.changedAtMs}`
        if (file === null) known = null
        else if (known?.file !== file) {
          const grants = readGrants(ports, id)
          known = { file, carried: { ...sealGrants(redaction, id, grants), rulesSeal: rulesSealOf(id, grants) } }
        }
        return known?.carried ?? null
      }
    },
    receive(id, carried) {
      const grants = unsealGrants(redaction, id, carried)
      if (grants === null || !isRecord(carried)) return
      // A file of that name may hold other rules on this machine: they may forbid and ask then, and allow nothing.
      const rulesSeal = rulesSealOf(id, grants)
      const isSameFile = rulesSeal !== null && rulesSeal === carried['rulesSeal']
      takeCarriedGrants(ports, id, { ...grants, policyFile: isSameFile ? grants.policyFile : null })
    },
  }

  /** Seals a file of rules as it is now; null where it is missing. */
  function rulesSealOf(id: ConversationId, { policyFile }: UserGrants): string | null {
    const text = policyFile === null ? null : readIfExists(policyFile)
    return text === null ? null : redaction.seal(JSON.stringify(['rules', id, policyFile, text]))
  }
}
