import type { CompletedItem, FileChangeEntry, LeftFile } from '@parley/protocol'
import { count, countOf } from '../text/formats.ts'

/** Numbers of a rewind plan that decide which choices it offers. */
export interface RewindCounts {
  /** Number of files that would change. */
  readonly files: number
  /** Number of files that stay because somebody else changed them. */
  readonly changedSince: number
  readonly overwrite: boolean
}

export type RewindKey = 'nothing' | 'both' | 'files' | 'talk' | 'bothSummary' | 'talkSummary' | 'overwrite'

export interface RewindChoice {
  readonly key: RewindKey
  readonly text: string
  readonly detail: string
}

/** Returns what of a plan can go back; one choice for a plan that would change nothing. */
export function rewindChoices(
  { files, changedSince, overwrite }: RewindCounts,
  withTalk: boolean,
): readonly RewindChoice[] {
  const counted = countOf(files, 'file')
  const row = (key: RewindKey, text: string, detail: string): RewindChoice => ({ key, text, detail })
  return [
    // Chosen at first, so that an Enter too many changes no file.
    row('nothing', 'nothing', 'all stays as it is'),
    ...(files > 0 && withTalk ? [row('both', 'files and talk', `${counted}, and the talk goes on in a copy`)] : []),
    ...(files > 0 ? [row('files', 'files', counted)] : []),
    ...(withTalk ? [row('talk', 'talk', 'goes on in a copy; files stay as they are')] : []),
    ...(files > 0 && withTalk ? [row('bothSummary', 'files and talk, with a summary', summaryText)] : []),
    ...(withTalk ? [row('talkSummary', 'talk, with a summary', summaryText)] : []),
    ...(changedSince > 0 && !overwrite
      ? [row('overwrite', 'look again', `with ${countOf(changedSince, 'file')} changed since by somebody else`)]
      : []),
  ]
}

const summaryText = 'the model tells the copy what was left out; costs a request'

/** Returns the point that undoes the last turn, or the user's own change after it; null if there is nothing to undo. */
export function undoPoint(window: readonly CompletedItem[]): CompletedItem | { readonly to: number } | null {
  const last = window.findLast((completed) => isMessage(completed) || ownChangeOf(completed) !== null)
  if (last === undefined) return null
  const change = ownChangeOf(last)
  return change === null ? last : { to: change.from }
}

function isMessage({ item }: CompletedItem): boolean {
  return item.type === 'userMessage'
}

/** Returns the change of a rewind or of `/remember`; null for any other item, and without a change. */
function ownChangeOf({ item }: CompletedItem) {
  return item.type === 'fileChange' && item.status !== 'failed' ? (item.rewind ?? item.remembered ?? null) : null
}

/** Says how many files a plan to go back would change, and how many lines of them. */
export function rewindTitle(changes: readonly FileChangeEntry[]): string {
  return `Going back would change ${countOf(changes.length, 'file')}  ${changedLines(changes)}`
}

/** Returns how many lines change: `+3 −1`. */
export function changedLines(files: readonly FileChangeEntry[]): string {
  const sum = (counts: readonly number[]) => count(counts.reduce((total, each) => total + each, 0))
  const added = sum(files.map(({ additions }) => additions))
  const removed = sum(files.map(({ deletions }) => deletions))
  return `+${added} −${removed}`
}

export function takenBackWords(files: number): string {
  return `${countOf(files, 'file')} ${files === 1 ? 'was' : 'were'} taken back. /undo reverses that.`
}

export const nothingToTakeBack = 'No file has to be taken back.'

export const nothingToGoBackTo = 'There is nothing to go back to yet.'

export const notTakenBack = 'No file was changed; the transcript says why.'

/** Files that are named; more are counted. */
const maxNamed = 5

/** Returns lines about the files that a plan leaves as they are. */
export function leftLines(left: readonly LeftFile[]): readonly string[] {
  const more = left.length - maxNamed
  return [
    ...left.slice(0, maxNamed).map(({ text }) => text),
    ...(more > 0 ? [`${count(more)} more files stay as they are; \`parley rewind\` names them.`] : []),
  ]
}
