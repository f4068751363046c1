import type { ConversationState, FileChangeEntry } from '@parley/protocol'
import type { UiAction } from '../ui/actions.ts'
import { count } from '../view/text/formats.ts'
import { note } from './rejected-intent.ts'

/** Returns the action that shows what the conversation's folder has that is not committed, or why that is not known. */
export async function diffAction({ core: { meta, settings } }: Pick<ConversationState, 'core'>): Promise<UiAction> {
  if (settings.environment !== undefined)
    return note(
      'info',
      `The folder is on ${settings.environment}: ask for \`!git diff\` there. /diff reads this machine.`,
    )
  const { readGitChanges } = await import('../programs/git-changes.ts')
  const changes = await readGitChanges(meta.cwd, process.env)
  if (changes.kind === 'problem') return note('warning', changes.text)
  const { files, isCut } = changes
  if (files.length === 0) return note('info', 'Nothing is changed since the last commit.')
  return { kind: 'notice', notice: { kind: 'changes', title: titleOf(files), files, isCut } }
}

function titleOf(files: readonly FileChangeEntry[]): string {
  const sum = (counts: readonly number[]) => count(counts.reduce((total, each) => total + each, 0))
  const added = sum(files.map(({ additions }) => additions))
  const removed = sum(files.map(({ deletions }) => deletions))
  const words = files.length === 1 ? '1 file differs' : `${count(files.length)} files differ`
  return `${words} from the last commit  +${added} −${removed}`
}
