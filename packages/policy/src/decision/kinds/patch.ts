import * as z from 'zod'
import {
  allow,
  always,
  ask,
  askedCells,
  askedRow,
  deny,
  enforcedOrAsked,
  enforcedOrDenied,
  outcomes,
  rowOf,
} from '../rules/matrix.ts'
import { describeList, type FactsKind, isInertWord } from './kind.ts'
import { allowEveryPath } from './read.ts'

/** Facts about a call that changes files by a patch. */
export interface PatchFacts {
  readonly kind: 'patch'
  readonly tool: string
  readonly files: readonly PatchedFile[]
  /** Hash of the exact bytes, `sha256:<hex>`. */
  readonly contentHash: string
  readonly cwd: string
}

export interface PatchedFile {
  readonly path: string
  readonly real: string
  readonly insideRoots: boolean
  /** Reason why patches to this file need approval; null for a file without protection. */
  readonly protectedBy: string | null
  /** Remarks for a question about it, as ends of sentences that begin with the path. */
  readonly notes?: readonly string[]
}

const insideRoots = allow('patch-inside-roots', 'every file lies inside the writable folders')
const readOnlyMode = ask('patch-read-only', 'the sandbox mode is read-only', { pastSandbox: true })
const readOnlyModeNever = deny(
  'patch-read-only-never',
  'policyNever',
  'the sandbox mode is read-only, and the approval policy is never',
)

/**
 * Rows of patches. The sandbox is certain to block a write in read-only mode and outside the roots, so `on-failure`
 * asks before the first attempt.
 */
export const patchRows = {
  patchInside: rowOf({
    untrusted: always(outcomes.untrusted),
    'on-failure': enforcedOrAsked(insideRoots),
    'on-request': enforcedOrAsked(insideRoots),
    never: enforcedOrDenied(insideRoots),
    readOnly: askedCells(readOnlyMode, readOnlyModeNever),
  }),
  patchOutside: askedRow(
    ask('patch-outside-roots', 'a file lies outside the writable folders', { pastSandbox: true }),
    deny(
      'patch-outside-roots-never',
      'outsideRoots',
      'a file lies outside the writable folders, and the approval policy is never',
    ),
  ),
  patchProtected: askedRow(
    ask('patch-protected', 'it changes a protected file', { pastSandbox: true }),
    deny('patch-protected-never', 'policyNever', 'it changes a protected file, and the approval policy is never'),
  ),
}

/** Text of a private key, which a patch may write to a file. */
const keyBlock = /^-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\sA-Za-z0-9+/=:,.-]*$/

export const patchKind: FactsKind<PatchFacts> = {
  schema: () =>
    z.object({
      kind: z.literal('patch'),
      tool: z.string(),
      files: z.array(
        z.object({
          path: z.string(),
          real: z.string(),
          insideRoots: z.boolean(),
          protectedBy: z.string().nullable(),
          notes: z.array(z.string()).exactOptional(),
        }),
      ),
      contentHash: z.string(),
      cwd: z.string(),
    }),

  row({ files }) {
    if (files.some(isProtected)) return patchRows.patchProtected
    return files.every((file) => file.insideRoots) ? patchRows.patchInside : patchRows.patchOutside
  },

  particulars({ files }) {
    const file = files.find(isProtected) ?? files.find((candidate) => !candidate.insideRoots)
    const why = file === undefined ? [] : [file.protectedBy === null ? file.real : `${file.path}: ${file.protectedBy}`]
    return [...why, ...notesOf(files)].join('; ')
  },

  describe: ({ files }) => describeList('changes', files.map(describeFile)),
  paths: ({ cwd, files }) => ({ cwd, paths: files }),
  allowedBy: (facts, allowing) => allowEveryPath(allowing, realPathsOf(facts), facts.cwd),

  alike(facts) {
    if (facts.files.some(isProtected)) return null
    return {
      words: `any change to ${facts.files.length === 1 ? 'this file' : 'these files'}`,
      marks: realPathsOf(facts),
    }
  },

  // It writes its own files and runs nothing, with a sandbox and without.
  reach: ({ files }) =>
    files.every((file) => file.insideRoots && !isProtected(file)) ? 'workspace-write' : 'danger-full-access',
  approvalKind: () => 'patch',
  approvedText: (_facts, written) => ({
    text: written,
    mayMask: (secret) => isInertWord(secret) || keyBlock.test(secret),
  }),
}

const maxNotes = 8

/** Returns the remarks of a question about single files: the first ones, and the number of the others. */
function notesOf(files: readonly PatchedFile[]): readonly string[] {
  const all = files.flatMap(({ path, notes = [] }) => notes.map((note) => `${path} ${note}`))
  return all.length <= maxNotes ? all : [...all.slice(0, maxNotes), `and ${all.length - maxNotes} more remarks`]
}

function isProtected({ protectedBy }: PatchedFile): boolean {
  return protectedBy !== null
}

function realPathsOf({ files }: PatchFacts): readonly string[] {
  return files.map((file) => file.real)
}

function describeFile({ real, insideRoots: isInside, protectedBy, notes = [] }: PatchedFile): string {
  const more = notes.map((note) => `; it ${note}`).join('')
  if (protectedBy !== null) return `${real}, which ${protectedBy}${more}`
  return `${real}, ${isInside ? 'inside the writable folders' : 'outside the writable folders'}${more}`
}
