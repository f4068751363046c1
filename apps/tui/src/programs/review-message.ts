import { type FileChangeEntry, type InputItem, type ReviewTarget, reviewRequest } from '@parley/protocol'
import type { Span } from '../view/review/review-span.ts'
import { readGitChanges } from './git-changes.ts'

/** Message that asks for a review, in a turn of that purpose. */
export interface ReviewMessage {
  readonly input: InputItem[]
  readonly purpose: 'review'
}

type Asked =
  | { readonly kind: 'message'; readonly message: ReviewMessage }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'problem'; readonly text: string }

interface Place {
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
}

/** Bytes of diff that a message holds, about a quarter of a small context window; the model reads the rest by itself. */
const maxDiffBytes = 200 * 1024

/** Returns the message for changes of a repository, with their diff. */
export async function reviewOfChanges(span: Span, focus: string, { folder, env }: Place): Promise<Asked> {
  const changes = await readGitChanges(folder, env, span)
  if (changes.kind === 'problem') return changes
  const { files, isCut } = changes
  if (files.length === 0) return { kind: 'nothing' }
  return { kind: 'message', message: messageWith(span, focus, diffText(files, isCut)) }
}

/** Returns the message for a patch that is nowhere applied. */
export function reviewOfPatch(patch: string, focus: string): ReviewMessage {
  return messageWith({ kind: 'patch' }, focus, patch)
}

/** Returns the message for changes that only the model can read, on another machine. */
export function reviewElsewhere(span: Span, focus: string): ReviewMessage {
  return { input: [{ type: 'text', text: reviewRequest(span, focus) }], purpose: 'review' }
}

function messageWith(target: ReviewTarget, focus: string, diff: string): ReviewMessage {
  const parts = [reviewRequest(target, focus), `<diff>\n${diff.trimEnd()}\n</diff>`]
  return { input: parts.map((text) => ({ type: 'text', text })), purpose: 'review' }
}

/** Returns the diffs of files as one text, and the names of those that do not fit. */
function diffText(files: readonly FileChangeEntry[], isCut: boolean): string {
  const shown: string[] = []
  const left: string[] = []
  let room = maxDiffBytes
  for (const file of files) {
    const text = fileText(file)
    const sizeBytes = Buffer.byteLength(text)
    if (sizeBytes > room) left.push(file.movedTo ?? file.path)
    else shown.push(text)
    room -= sizeBytes > room ? 0 : sizeBytes
  }
  const more = isCut ? ['More files are changed than could be listed.'] : []
  if (left.length > 0) more.push(`Left out here, so read them yourself: ${left.join(', ')}`)
  return [...shown, ...more].join('\n')
}

function fileText({ kind, path, movedTo = path, diff }: FileChangeEntry): string {
  const before = kind === 'add' ? '/dev/null' : `a/${path}`
  const after = kind === 'delete' ? '/dev/null' : `b/${movedTo}`
  return `--- ${before}\n+++ ${after}\n${diff === '' ? '(No lines differ, or it is no text.)' : diff.trimEnd()}`
}
