import type { ContentItem, FileChangeEntry, ItemOf } from '@parley/protocol'
import { showEffects, stripEffects, visibleLine } from '../text/control-characters.ts'
import { callVerb, type Verbs } from './call-facts.ts'

export const commandVerbs: Verbs = { done: 'Ran', doing: 'Running', not: 'Not run' }

export const toolVerbs: Verbs = { done: 'Called', doing: 'Calling', not: 'Not called' }

/** Returns the sandbox limits that may explain a failed command; null if it met no limit. */
export function blockedWords({ sandboxBlock }: ItemOf<'commandExecution'>): string | null {
  if (sandboxBlock === undefined) return null
  const { paths, network } = sandboxBlock
  const blocked = [...(paths.length > 0 ? [`access to ${paths.join(', ')}`] : []), ...(network ? ['the network'] : [])]
  return showEffects(`The sandbox blocks ${blocked.join(' and ')}`)
}

/** Changed lines of a renamed file up to which it has one row. */
const fewLines = 2

/** Returns the title of a patch without its verb, which the screen says by itself. */
export function patchTitle({ title }: ItemOf<'fileChange'>): string {
  return title.replace(/^Patch /, '')
}

/** Returns the word before the files of a patch. */
export function patchVerb(item: ItemOf<'fileChange'>): string {
  const [only, ...others] = item.changes
  if (item.rewind !== undefined)
    return callVerb(item, {
      done: item.status === 'failed' ? 'Not taken back' : 'Took back',
      doing: 'Taking back',
      not: 'Not taken back',
    })
  if (item.remembered !== undefined)
    return callVerb(item, {
      done: item.status === 'failed' ? 'Not remembered in' : 'Remembered in',
      doing: 'Remembering in',
      not: 'Not remembered in',
    })
  const kind = only === undefined || others.length > 0 ? 'update' : only.kind
  // A patch that failed has changed no file, however long that took.
  if (item.status === 'failed') return 'Not edited'
  if (item.status !== 'completed') return callVerb(item, { done: 'Edited', doing: 'Editing', not: 'Not edited' })
  if (only?.movedTo !== undefined && isShownByName(only) && others.length === 0) return 'Moved'
  return { update: 'Edited', add: 'Created', delete: 'Deleted' }[kind]
}

/** Returns true for a file that is shown by its name alone. */
export function isShownByName({ kind, movedTo, additions, deletions }: FileChangeEntry): boolean {
  return kind === 'delete' || (movedTo !== undefined && additions + deletions <= fewLines)
}

export function pathText({ path, movedTo }: FileChangeEntry): string {
  return visibleLine(movedTo === undefined ? path : `${path} → ${movedTo}`)
}

/** Returns the words of a notice: its title, and its text where that says more. */
export function noticeWords({ title, text, typed }: Pick<ItemOf<'notice'>, 'title' | 'text' | 'typed'>): string {
  if (typed !== undefined) return text === '' ? title : `${title}: ${typedWords(text)}`
  return text.trim() === '' || text === title ? title : `${title}\n${text}`
}

/** Returns the text that a user typed into a process, without its line end, control keys as ^C. */
function typedWords(text: string): string {
  const line = text.replace(/\n$/, '')
  if (line === '') return 'an empty line'
  return line.replace(/[\x00-\x09\x0b-\x1f]/g, (key) => `^${String.fromCharCode(key.charCodeAt(0) + 64)}`)
}

/** Returns the text of a message without its images, which cannot be edited. */
export function inputText(content: readonly ContentItem[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** Returns false if a long text is in a file and the message has only its beginning. */
export function isWhole(content: readonly ContentItem[]): boolean {
  return content.every((part) => part.type !== 'text' || part.file === undefined)
}

/** Returns the newest heading of reasoning, or its first line; empty for an empty text. */
export function reasoningHeading({ text }: Pick<ItemOf<'reasoning'>, 'text'>): string {
  const headings = [...stripEffects(text).matchAll(/^\*\*(.+?)\*\*\s*$/gm)].map((match) => match[1] ?? '')
  return headings.at(-1) ?? stripEffects(text).trim().split('\n', 1)[0] ?? ''
}
