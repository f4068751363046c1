import { join } from 'node:path'
import { type Files, makeFolders, replaceFile } from '@parley/journal'
import type { TrustVerdict } from '@parley/protocol'
import { parseJson } from '@parley/text'
import { contentHash } from '@parley/workspace'
import * as z from 'zod'
import { diskTree } from './project-tree.ts'

/** Launch of a tool server of an editor: the parts that an answer about the server is bound to. */
export interface EditorLaunch {
  /** Real path of the folder that the editor works in. */
  readonly folder: string
  readonly command: string
  readonly args: readonly string[]
  /** Names of its variables; in the sandbox values may change, as tokens do. */
  readonly variables: readonly string[]
  /** `own`: as the user's own servers are; `unconfined`: since nothing here can confine it. */
  readonly how: 'sandboxed' | 'unconfined' | 'own'
  /** Seal of the values of variables, for a server outside the sandbox; absent for a sandboxed one. */
  readonly sealedValues?: string
}

const decision = z.object({
  hash: z.string(),
  verdict: z.enum(['trusted', 'declined']),
  decidedAt: z.string(),
  /** Name and program, for readers of the file. */
  name: z.string(),
  command: z.string(),
})
const entrySchema = z.object({ folder: z.string(), editorServers: z.array(decision) })

/** Answer of the user about a server of an editor in a folder. */
type EditorServerDecision = z.infer<typeof decision> & { readonly verdict: TrustVerdict }

/** Answers about the servers that editors hand over, stored beside answers about projects. */
export interface EditorServerTrust {
  /**
   * Returns the answers in a folder, by the hash of the launch. Unreadable answers are left out, which never means
   * trust.
   */
  read(folder: string): ReadonlyMap<string, TrustVerdict>
  keep(folder: string, answer: EditorServerDecision): void
}

/** Most answers kept of a folder; beyond that the oldest are forgotten. */
const mostDecisions = 200
const maxEntryBytes = 256 * 1024

/** Returns the hash that an answer is bound to, made from JSON, so that no two launches have the same text. */
export function hashOfEditorLaunch({ folder, command, args, variables, how, sealedValues }: EditorLaunch): string {
  const shown = { folder, command, args, variables: variables.toSorted(), how, sealedValues }
  return contentHash(JSON.stringify(shown))
}

/** Stores one file per folder in the folder of trust. */
export function createEditorServerTrust(home: string, files: Files): EditorServerTrust {
  const trust = join(home, 'trust')
  const nameOf = (folder: string) => `${contentHash(`servers of an editor\0${folder}`)}.json`

  function decisionsIn(folder: string): readonly EditorServerDecision[] {
    const chunks: Buffer[] = []
    const wanted = { root: trust, path: nameOf(folder), maxBytes: maxEntryBytes, mustBeOwn: true }
    if (diskTree.visit(wanted, (chunk) => chunks.push(Buffer.from(chunk))) !== null) return []
    const entry = entrySchema.safeParse(parseJson(Buffer.concat(chunks).toString('utf8')))
    return entry.success && entry.data.folder === folder ? entry.data.editorServers : []
  }

  return {
    read: (folder) => new Map(decisionsIn(folder).map(({ hash, verdict }) => [hash, verdict])),
    keep(folder, answer) {
      const others = decisionsIn(folder).filter(({ hash }) => hash !== answer.hash)
      const editorServers = [...others, answer].slice(-mostDecisions)
      makeFolders(files, trust)
      replaceFile(files, join(trust, nameOf(folder)), `${JSON.stringify({ folder, editorServers }, null, 2)}\n`)
    },
  }
}
