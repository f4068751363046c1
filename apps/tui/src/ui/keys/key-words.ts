import { editingKeys } from './editing-keys.ts'
import { type KeyPlace, type KeyRow, keySections } from './key-table.ts'
import { pagerKeys } from './pager-keys.ts'
import { processKeys, processTypingKeys } from './process-keys.ts'

/** Keys of one state, each with its description. */
export interface KeyGroup {
  readonly title: string
  readonly rows: readonly (readonly [keys: string, words: string])[]
}

/** Returns the keys by state, as people read them. */
export function keyGroups(): readonly KeyGroup[] {
  const editing = editingKeys.map(({ keys, words }) => [keyNames(keys), words] as const)
  return [...groupsOf(keySections), { title: 'In any text', rows: editing }, pagerKeyGroup(), ...processKeyGroups()]
}

/** States of the composer during most keys. */
const usualPlaces: ReadonlySet<KeyPlace> = new Set(['anywhere', 'composer', 'idle', 'turn', 'running'])

/** Returns the keys of the composer by state, few enough to be read at once. */
export function usualKeyGroups(): readonly KeyGroup[] {
  return groupsOf(keySections.filter(({ places }) => places.some((place) => usualPlaces.has(place))))
}

function groupsOf(sections: typeof keySections): readonly KeyGroup[] {
  return sections
    .map(({ title, rows }) => ({ title, rows: rows.flatMap(describedRow) }))
    .filter(({ rows }) => rows.length > 0)
}

export function pagerKeyGroup(): KeyGroup {
  const rows = pagerKeys.map(({ keys, words }) => [keyNames(keys), words] as const)
  return { title: 'In the transcript view', rows }
}

function processKeyGroups(): readonly KeyGroup[] {
  const groups = { 'In the view of a process': processKeys, 'While typing into a process': processTypingKeys }
  return Object.entries(groups).map(([title, keyRows]) => {
    return { title, rows: keyRows.map(({ keys, words }) => [keyNames(keys), words] as const) }
  })
}

function describedRow({ keys, words }: KeyRow): readonly (readonly [string, string])[] {
  return words === null ? [] : [[keyNames(keys), words]]
}

/** Other writings of a key, which some terminals send. */
const doubles: ReadonlySet<string> = new Set(['ctrl+shift+_', 'ctrl+shift+-', 'shift+backspace', 'ctrl+h'])

function keyNames(keys: readonly string[]): string {
  return keys
    .filter((key) => !doubles.has(key))
    .map(keyName)
    .join(', ')
}

const names: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  escape: 'Esc',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  ' ': 'Space',
}

/** Returns a chord as people write it, such as `Ctrl+A`; a letter alone stays as it is typed. */
export function keyName(chord: string): string {
  const parts = /^((?:(?:ctrl|alt|shift)\+)*)(.+)$/.exec(chord)
  const modifiers = (parts?.[1] ?? '').split('+').filter((part) => part !== '')
  const name = parts?.[2] ?? chord
  const shown = names[name] ?? (modifiers.length > 0 || name.length > 1 ? capitalised(name) : name)
  return [...modifiers.map(capitalised), shown].join('+')
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
