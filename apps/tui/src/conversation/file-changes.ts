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
import type { Intent, UiAction } from '../ui/actions.ts'
import { pointReads } from './fork-point.ts'
import { note } from './rejected-intent.ts'

/** Shows how files differ: from the last commit, or from an earlier point; and takes them back. */
export async function changeActions(
  intent: Extract<Intent, { kind: 'diff' | 'planRewind' | 'rewind' | 'planRemember' | 'remember' }>,
  conversation: Pick<Conversation, 'request' | 'state'>,
  isFar: boolean,
): Promise<readonly UiAction[]> {
  switch (intent.kind) {
    case 'diff':
      return [await diffAction(conversation.state, isFar)]
    case 'planRewind':
      return await planActions(intent, conversation)
    case 'rewind':
      return await rewindActions(intent, conversation)
    case 'planRemember':
      return await memoryActions(intent, conversation)
    case 'remember': {
      const { text, where, hash } = intent.memory
      const { status } = await conversation.request('conversation/remember', { text, where, hash })
      return status === 'completed' ? [] : [note('warning', 'No file was changed; the transcript says why.')]
    }
  }
}

/** Returns the action that shows what the conversation's folder has that is not committed, or why that is not known. */
async function diffAction(
  { core: { meta, settings } }: Pick<ConversationState, 'core'>,
  isFar: boolean,
): Promise<UiAction> {
  if (isFar || settings.environment !== undefined)
    return note(
      'info',
      `The folder is on ${settings.environment ?? 'the machine of the server'}: ask for \`!git diff\` there. /diff reads this machine.`,
    )
  const { readGitChanges } = await import('../programs/git/git-changes.ts')
  const changes = await readGitChanges(meta.cwd, process.env)
  if (changes.kind === 'problem') return note('warning', changes.text)
  const { files, isListCut } = changes
  const isCut = isListCut || files.some(({ isWhole }) => !isWhole)
  if (files.length === 0) return note('info', 'Nothing is changed since the last commit.')
  return { kind: 'notice', notice: { kind: 'changes', title: titleOf(files), files, isCut } }
}

function titleOf(files: readonly FileChangeEntry[]): string {
  const differ = files.length === 1 ? 'differs' : 'differ'
  return `${countOf(files.length, 'file')} ${differ} from the last commit  ${changedLines(files)}`
}

type Asked = Pick<Conversation, 'request'>

/** Shows what going back would change, and asks what of it goes back. */
async function planActions(
  { at, itemId, overwrite }: Extract<Intent, { kind: 'planRewind' }>,
  conversation: Asked,
): Promise<readonly UiAction[]> {
  const to = 'to' in at ? at.to : ((await pointBefore(pointReads(conversation), at)) ?? 0)
  const plan = await conversation.request('conversation/rewind/plan', { to, overwrite })
  const { changes, left, hash } = plan
  const changedSince = left.filter(({ why }) => why === 'changedSince').length
  const shown = { at, itemId, overwrite, to, hash, files: changes.length, changedSince }
  return [...planNotices(plan), { kind: 'rewindPlanned', rewind: shown }]
}

/** Shows what would be written to remember a line, and asks if it is to be. */
async function memoryActions(
  { text, where }: Extract<Intent, { kind: 'planRemember' }>,
  conversation: Asked,
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

/** Takes the files back that were shown, and goes on with the talk. */
async function rewindActions(
  { rewind, withTalk, summary }: Extract<Intent, { kind: 'rewind' }>,
  conversation: Asked,
): Promise<readonly UiAction[]> {
  const { to, hash, overwrite, files, itemId } = rewind
  const { status } = await conversation.request('conversation/rewind', { to, hash, overwrite })
  if (status !== 'completed') return [note('warning', notTakenBack)]
  const text = takenBackWords(files)
  if (!withTalk || itemId === null) return [note('info', text)]
  return [note('info', text), { kind: 'filesTakenBack', itemId, ...(summary === undefined ? {} : { summary }) }]
}
