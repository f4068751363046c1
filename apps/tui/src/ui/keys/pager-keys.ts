/** Keys of the transcript view, in the order of the help. */
export const pagerKeys = [
  { action: 'down', keys: ['down', 'j'], words: 'down' },
  { action: 'up', keys: ['up', 'k'], words: 'up' },
  { action: 'pageDown', keys: ['pagedown', ' ', 'ctrl+f', 'ctrl+d'], words: 'a page down' },
  { action: 'pageUp', keys: ['pageup', 'b', 'ctrl+b', 'ctrl+u'], words: 'a page up' },
  { action: 'start', keys: ['home', 'g'], words: 'to the beginning of the conversation' },
  { action: 'end', keys: ['end', 'G'], words: 'to the end, and follow it' },
  { action: 'previousTurn', keys: ['['], words: 'to the previous message of yours' },
  { action: 'nextTurn', keys: [']'], words: 'to the next message of yours' },
  { action: 'open', keys: ['enter', 'o', 'ctrl+o'], words: 'open or fold the item at the cursor' },
  { action: 'openAll', keys: ['e'], words: 'open or fold everything' },
  { action: 'reasoning', keys: ['r'], words: 'show or fold the reasoning' },
  { action: 'search', keys: ['/'], words: 'search: from the cursor down, else upwards' },
  { action: 'again', keys: ['n'], words: 'the next match in that direction' },
  { action: 'back', keys: ['N'], words: 'the next match in the other direction' },
  { action: 'copy', keys: ['c'], words: 'copy the item: an answer, a command with its output' },
  { action: 'copyCode', keys: ['C'], words: 'copy a block of code of it' },
  { action: 'help', keys: ['?'], words: 'these keys' },
  { action: 'suspend', keys: ['ctrl+z'], words: 'back to the shell for a while' },
  {
    action: 'leave',
    keys: ['q', 'escape', 'ctrl+t', 'ctrl+c'],
    words: 'leave the view; Esc stops a search first',
  },
] as const

export type PagerAction = (typeof pagerKeys)[number]['action']

const actions: ReadonlyMap<string, PagerAction> = new Map(
  pagerKeys.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)),
)

/** Returns the action of a key, by its chord or its character; null for other keys. */
export function pagerActionOf(key: string): PagerAction | null {
  return actions.get(key) ?? null
}
