import { join } from 'node:path'
import { type Files, makeFolders, replaceFile } from '@parley/journal'
import type { TrustVerdict } from '@parley/protocol'
import { parseJson } from '@parley/text'
import { contentHash } from '@parley/workspace'
import * as z from 'zod'
import { diskTree } from './project-tree.ts'

const entrySchema = z.object({
  root: z.string(),
  hash: z.string(),
  verdict: z.enum(['trusted', 'declined']),
  decidedAt: z.string(),
  outsideSandbox: z.boolean(),
  files: z.array(z.object({ path: z.string(), text: z.string() })),
  programs: z.array(z.object({ path: z.string(), content: z.string() })),
  // Left out by older versions, which have no skills.
  brought: z.array(z.object({ path: z.string(), content: z.string() })).exactOptional(),
})

/** Decision of the user about a project, with a copy of its content, so that changes can be shown. */
export type TrustEntry = z.infer<typeof entrySchema> & { readonly verdict: TrustVerdict }

export interface TrustStore {
  /** Returns the decision; null when it is missing or unreadable, which never means trust. */
  read(root: string): TrustEntry | null
  /** Throws `DecisionTooLargeError`. */
  write(entry: TrustEntry): void
}

/** Decisions about projects of environments, where several servers have them in common. */
export interface SharedTrust {
  /**
   * Resolves to the text of a decision; null without a decision, and for text that another writer stored under this
   * name.
   */
  read(name: string): Promise<string | null>
  /** Keeps a decision in place of the one before; with `first` only where there is no decision yet. */
  write(name: string, text: string, how: 'replace' | 'first'): Promise<void>
}

/** Error for a decision about so many files that it could not be read again. */
export class DecisionTooLargeError extends Error {
  override readonly name = 'DecisionTooLargeError'
}

const maxEntryBytes = 2 * 1024 * 1024

/** Stores one file per project, so that servers that decide at the same time do not lose decisions. */
export function createTrustStore(home: string, files: Files): TrustStore {
  const folder = join(home, 'trust')
  const nameOf = (root: string) => `${contentHash(root)}.json`
  return {
    read(root) {
      const chunks: Buffer[] = []
      const wanted = { root: folder, path: nameOf(root), maxBytes: maxEntryBytes, mustBeOwn: true }
      const problem = diskTree.visit(wanted, (chunk) => chunks.push(Buffer.from(chunk)))
      if (problem !== null) return null
      const entry = entryIn(Buffer.concat(chunks).toString('utf8'))
      return entry?.root === root ? entry : null
    },
    write(entry) {
      const text = `${JSON.stringify(entry, null, 2)}\n`
      assertReadable(text)
      makeFolders(files, folder)
      replaceFile(files, join(folder, nameOf(entry.root)), text)
    },
  }
}

/** Place of a decision that servers share. */
export interface SharedPlace {
  /** Name that it has for all of them. */
  readonly name: string
  readonly root: string
}

/** Reads a decision that servers share. Rejects where it cannot be known now. */
async function readShared(shared: SharedTrust, { name, root }: SharedPlace): Promise<TrustEntry | null> {
  const text = await shared.read(name)
  const entry = text === null ? null : entryIn(text)
  return entry?.root === root ? entry : null
}

/** Shares a decision. Rejects with `DecisionTooLargeError`. */
export async function writeShared(
  shared: SharedTrust,
  { name }: Pick<SharedPlace, 'name'>,
  entry: TrustEntry,
  how: 'replace' | 'first' = 'replace',
): Promise<void> {
  const text = JSON.stringify(entry)
  assertReadable(text)
  await shared.write(name, text, how)
}

/**
 * Reads a decision that servers share. A decision of this home, taken without the others, becomes the shared one if it
 * is the first, or a later no. Clocks that differ may lose such a no, but never win a yes.
 */
export async function readSharedOrOwn(
  shared: SharedTrust,
  place: SharedPlace,
  own: TrustEntry | null,
): Promise<TrustEntry | null> {
  const known = await readShared(shared, place)
  if (own === null) return known
  if (known === null) await writeShared(shared, place, own, 'first')
  else if (own.verdict === 'declined' && own.decidedAt > known.decidedAt) await writeShared(shared, place, own)
  else return known
  return readShared(shared, place)
}

function assertReadable(text: string): void {
  if (Buffer.byteLength(text) > maxEntryBytes)
    throw new DecisionTooLargeError(
      `This project brings so many files that the decision would take more than ${maxEntryBytes / 1024} KiB, so nothing was decided.`,
    )
}

function entryIn(text: string): TrustEntry | null {
  const entry = entrySchema.safeParse(parseJson(text))
  return entry.success ? entry.data : null
}
