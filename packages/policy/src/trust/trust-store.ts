import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type Files, makeFolders, replaceFile } from '@parley/journal'
import type { TrustVerdict } from '@parley/protocol'
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
  // Left out by programs that know no skills.
  brought: z.array(z.object({ path: z.string(), content: z.string() })).exactOptional(),
})

/** Decision of the user about a project, with a copy of its content, so that changes can be shown. */
export type TrustEntry = z.infer<typeof entrySchema> & { readonly verdict: TrustVerdict }

export interface TrustStore {
  /** Returns the decision; null when there is none or it cannot be read, which never means trust. */
  read(root: string): TrustEntry | null
  write(entry: TrustEntry): void
}

const maxEntryBytes = 2 * 1024 * 1024

/** Stores one file per project, so that servers that decide at the same time do not lose decisions. */
export function createTrustStore(home: string, files: Files): TrustStore {
  const folder = join(home, 'trust')
  const nameOf = (root: string) => `${createHash('sha256').update(root).digest('hex')}.json`
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
      makeFolders(files, folder)
      replaceFile(files, join(folder, nameOf(entry.root)), `${JSON.stringify(entry, null, 2)}\n`)
    },
  }
}

function entryIn(text: string): TrustEntry | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const entry = entrySchema.safeParse(value)
  return entry.success ? entry.data : null
}
