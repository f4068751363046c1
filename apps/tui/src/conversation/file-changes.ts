import type { Conversation } from '@parley/client'
import { pointBefore } from '@parley/presentation/rewind/point-before'
import {
  changedLines,
  leftLines,
  notTakenBack,
  rewindTitle,
  takenBackWords,
} from '@parley/presentation/rewind/rewind-choices'
import { countOf } from '@parley/presentation/text/formats'
import type { ConversationState, FileChangeEntry, RewindPlan } from '@parley/protocol'
import type { Intent, UiAction } from '../ui/state/actions.ts'
import { unseenWords } from '../view/review/unseen-words.ts'
import { pointReads } from './fork-point.ts'
import { note } from './rejected-intent.ts'

/** Shows the changes of the conversation's folder since the last commit, or why they cannot be read. */
export async function showDiff(
  { core: { meta, settings } }: Pick<ConversationState, 'core'>,
  isFar: boolean,
): Promise<readonly UiAction[]> {
  if (isFar || settings.environment !== undefined) {
    const place = settings.environment ?? 'the machine of the server'
    return [note('info', `The folder is on ${place}: ask for \`!git diff\` there. /diff reads this machine.`)]
  }
  const { readGitChanges } = await import('../programs/git/git-changes.ts')
  const changes = await readGitChanges(meta.cwd, process.env)
  if (changes.kind === 'problem') return [note('warning', changes.text)]
  const { files, isListCut } = changes
  const isCut = isListCut || files.some(({ isWhole }) => !isWhole)
  if (files.length === 0) return [note('info', 'Nothing is changed since the last commit.')]
  return [{ kind: 'notice', notice: { kind: 'changes', title: titleOf(files), files, isCut } }]
}

function titleOf(files: readonly FileChangeEntry[]): string {
  const differ = files.length === 1 ? 'differs' : 'differ'
  return `${countOf(files.length, 'file')} ${differ} from the last commit  ${changedLines(files)}`
}

/** Shows the changes of a rewind, and asks which of them to make. */
export async function planRewind(
  { at, itemId, overwrite }: Extract<Intent, { kind: 'planRewind' }>,
  conversation: Pick<Conversation, 'request'>,
): Promise<readonly UiAction[]> {
  const to = 'to' in at ? at.to : ((await pointBefore(pointReads(conversation), at)) ?? 0)
  const plan = await conversation.request('conversation/rewind/plan', { to, overwrite })
  const { changes, left, hash } = plan
  const changedSince = left.filter(({ why }) => why === 'changedSince').length
  const shown = { at, itemId, overwrite, to, hash, files: changes.length, changedSince }
  return [...planNotices(plan), { kind: 'rewindPlanned', rewind: shown }]
}

/** Shows the change that would remember a line, and asks whether to make it. */
export async function planMemory(
  { text, where }: Extract<Intent, { kind: 'planRemember' }>,
  conversation: Pick<Conversation, 'request'>,
): Promise<readonly UiAction[]> {
  const { path, hash, changes } = await conversation.request('conversation/remember/plan', { text, where })
  const title = `Remembering would change ${path}  ${changedLines(changes)}`
  return [
    { kind: 'notice', notice: { kind: 'changes', title, files: changes, isCut: false } },
    { kind: 'rememberPlanned', memory: { text, where, path, hash } },
  ]
}

function planNotices({ changes, left, notes }: RewindPlan): readonly UiAction[] {
  const title = rewindTitle(changes)
  return [
    ...(changes.length === 0
      ? []
      : [{ kind: 'notice', notice: { kind: 'changes', title, files: changes, isCut: false } } as const]),
    ...leftLines(left).map((text) => note('warning', text)),
    ...notes.map((text) => note('info', text)),
  ]
}

/** Takes back the files of the plan, and goes on with the talk. */
export async function rewindFiles(
  { rewind, withTalk, summary }: Extract<Intent, { kind: 'rewind' }>,
  conversation: Pick<Conversation, 'request'>,
): Promise<readonly UiAction[]> {
  const { to, hash, overwrite, files, itemId } = rewind
  const { status } = await conversation.request('conversation/rewind', { to, hash, overwrite })
  if (status !== 'completed') return [note('warning', notTakenBack)]
  const text = takenBackWords(files)
  if (!withTalk || itemId === null) return [note('info', text)]
  return [note('info', text), { kind: 'filesTakenBack', itemId, ...(summary === undefined ? {} : { summary }) }]
}

/** Writes the line as it was shown. */
export async function rememberLine(
  { memory: { text, where, hash } }: Extract<Intent, { kind: 'remember' }>,
  conversation: Pick<Conversation, 'request'>,
): Promise<readonly UiAction[]> {
  const { status } = await conversation.request('conversation/remember', { text, where, hash })
  return status === 'completed' ? [] : [note('warning', 'No file was changed; the transcript says why.')]
}

/** Sends the message that asks for a review, or says why there is nothing to review. */
export async function askForReview(
  { span, focus }: Extract<Intent, { kind: 'review' }>,
  conversation: Pick<Conversation, 'state' | 'request'>,
  isFar: boolean,
): Promise<readonly UiAction[]> {
  const { core } = conversation.state
  const { reviewElsewhere, reviewOfChanges } = await import('../programs/review-message.ts')
  const place = { folder: core.meta.cwd, env: process.env }
  const asked =
    core.settings.environment === undefined && !isFar
      ? await reviewOfChanges(span, focus, place)
      : reviewElsewhere(span, focus)
  if (asked.kind === 'problem') return [note('warning', asked.text)]
  if (asked.kind === 'nothing') return [note('info', 'There is nothing to review: no file differs.')]
  await conversation.request('conversation/sendMessage', { ...asked.message, when: 'queue' })
  const unseen = unseenWords(asked.unseen)
  return unseen === null ? [] : [note('info', unseen)]
}
