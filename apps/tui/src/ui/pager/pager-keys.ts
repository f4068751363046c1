/** Keys of the transcript view, in the order in which help shows them. */
export const pagerKeys = [
  { action: 'down', keys: ['down', 'j'], shown: '↓ j', about: 'down' },
  { action: 'up', keys: ['up', 'k'], shown: '↑ k', about: 'up' },
  { action: 'pageDown', keys: ['pagedown', ' ', 'ctrl+f', 'ctrl+d'], shown: 'PgDn Space', about: 'a page down' },
  { action: 'pageUp', keys: ['pageup', 'b', 'ctrl+b', 'ctrl+u'], shown: 'PgUp b', about: 'a page up' },
  { action: 'start', keys: ['home', 'g'], shown: 'Home g', about: 'to the beginning of the conversation' },
  { action: 'end', keys: ['end', 'G'], shown: 'End G', about: 'to the end, and follow it' },
  { action: 'previousTurn', keys: ['['], shown: '[', about: 'to the previous message of yours' },
  { action: 'nextTurn', keys: [']'], shown: ']', about: 'to the next message of yours' },
  { action: 'open', keys: ['enter', 'o'], shown: 'Enter o', about: 'open or fold the item at the cursor' },
  { action: 'openAll', keys: ['e'], shown: 'e', about: 'open or fold everything' },
  { action: 'reasoning', keys: ['r'], shown: 'r', about: 'show or fold the reasoning' },
  { action: 'search', keys: ['/'], shown: '/', about: 'search: from the cursor down, else upwards' },
  { action: 'again', keys: ['n'], shown: 'n', about: 'the next match in that direction' },
  { action: 'back', keys: ['N', 'shift+n'], shown: 'N', about: 'the next match in the other direction' },
  { action: 'copy', keys: ['c'], shown: 'c', about: 'copy the item: an answer, a command with its output' },
  { action: 'copyCode', keys: ['C', 'shift+c'], shown: 'C', about: 'copy a block of code of it' },
  { action: 'help', keys: ['?'], shown: '?', about: 'these keys' },
  { action: 'suspend', keys: ['ctrl+z'], shown: 'Ctrl+Z', about: 'back to the shell for a while' },
  {
    action: 'leave',
    keys: ['q', 'escape', 'ctrl+t', 'ctrl+o', 'ctrl+c'],
    shown: 'q Esc Ctrl+T',
    about: 'leave the view; Esc stops a search first',
  },
] as const

export type PagerAction = (typeof pagerKeys)[number]['action']

const actions: ReadonlyMap<string, PagerAction> = new Map(
  pagerKeys.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)),
)

/** Returns the action of a key, by its chord or its character; null if it has none. */
export function pagerActionOf(key: string): PagerAction | null {
  return actions.get(key) ?? null
}
