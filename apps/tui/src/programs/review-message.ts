import type { ReviewedChanges } from '@parley/presentation/commands/review-words'
import { type InputItem, type ReviewTarget, reviewRequest } from '@parley/protocol'
import { fitDiffs } from './fit-diffs.ts'
import { readGitChanges } from './git/git-changes.ts'
import { findWorkTree, pathFromTop } from './git/work-tree.ts'

/** Message that requests a review, in a turn with that purpose. */
interface ReviewMessage {
  readonly input: InputItem[]
  readonly purpose: 'review'
}

export interface PreparedReview {
  readonly kind: 'message'
  readonly message: ReviewMessage
  /** Names of changed files with lines that are missing from the message. */
  readonly unseen: readonly string[]
  /** Converts a path that the model gives to a path from the top of the repository. */
  readonly fromTop: (file: string) => string
}

type ReviewOutcome = PreparedReview | { readonly kind: 'nothing' } | { readonly kind: 'problem'; readonly text: string }

interface ReviewedFolder {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** Bytes of diff that a message holds, about a quarter of a small context window; the model reads the rest by itself. */
const maxDiffBytes = 200 * 1024

/** Returns the message for changes of a repository, with their diff. */
export async function reviewOfChanges(
  span: ReviewedChanges,
  focus: string,
  { folder, env }: ReviewedFolder,
): Promise<ReviewOutcome> {
  const changes = await readGitChanges(folder, env, span)
  if (changes.kind === 'problem') return changes
  const { files, isListCut, tree } = changes
  if (isListCut) return { kind: 'problem', text: tooMany }
  if (files.length === 0) return { kind: 'nothing' }
  const { text, unseen } = fitDiffs(files, maxDiffBytes)
  const changed = new Set(files.map((file) => pathFromTop(tree, nameOf(file))))
  const fromTop = (file: string) => pathFromTop(tree, file, changed)
  return { ...preparedReview(span, focus, text), fromTop, unseen: unseen.map(nameOf) }
}

const tooMany =
  'More files differ than a review can list. Commit or ignore some of them, or name a commit with --commit.'

function nameOf({ path, movedTo = path }: { readonly path: string; readonly movedTo?: string }): string {
  return movedTo
}

/** Returns the message for a patch that is not applied. */
export async function reviewOfPatch(
  patch: string,
  focus: string,
  { folder, env }: ReviewedFolder,
): Promise<PreparedReview> {
  const review = preparedReview({ kind: 'patch' }, focus, patch)
  const tree = await findWorkTree(folder, env)
  if ('problem' in tree) return review
  const changed = new Set(namesIn(patch))
  return { ...review, fromTop: (file) => pathFromTop(tree, file, changed) }
}

/** Tests if a text has the head of a file's changes, in any form that programs print. */
export function isPatch(text: string): boolean {
  return /^(?:diff |Index: |--- |\+\+\+ |\*\*\* |@@ |Binary files |\d+(?:,\d+)?[acd]\d)/m.test(text)
}

/** Returns the names that a patch gives its files. */
function namesIn(patch: string): readonly string[] {
  return [...patch.matchAll(/^(?:\+\+\+|---) (?:[ab]\/)?([^\t\r\n]+)/gm)].map(([, name = '']) => name)
}

/** Returns the message for changes that only the model can read, on another machine. */
export function reviewElsewhere(span: ReviewedChanges, focus: string): PreparedReview {
  return preparedReview(span, focus)
}

function preparedReview(target: ReviewTarget, focus: string, diff?: string): PreparedReview {
  const parts = [reviewRequest(target, focus), ...(diff === undefined ? [] : [`<diff>\n${diff.trimEnd()}\n</diff>`])]
  const message: ReviewMessage = { input: parts.map((text) => ({ type: 'text', text })), purpose: 'review' }
  return { kind: 'message', message, unseen: [], fromTop: (file) => file }
}
