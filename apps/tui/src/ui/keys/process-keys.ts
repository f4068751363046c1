/** Keys of the view of a process, in the order of the help. */
export const processKeys = [
  { action: 'up', keys: ['up', 'k'], words: 'up; the lines on the screen then stay' },
  { action: 'down', keys: ['down', 'j'], words: 'down' },
  { action: 'pageUp', keys: ['pageup', 'b', 'ctrl+b', 'ctrl+u'], words: 'a page up' },
  { action: 'pageDown', keys: ['pagedown', ' ', 'ctrl+f', 'ctrl+d'], words: 'a page down' },
  { action: 'start', keys: ['home', 'g'], words: 'to the oldest of these lines' },
  { action: 'end', keys: ['end', 'G'], words: 'to the newest, and follow them' },
  { action: 'search', keys: ['/'], words: 'only lines with a text; * is any text, | stands between alternatives' },
  { action: 'tell', keys: ['t'], words: 'tell you and the model when it prints a text, also with the view closed' },
  { action: 'type', keys: ['i', 'enter'], words: 'type into it, where it takes input; Esc ends that' },
  { action: 'stop', keys: ['x'], words: 'stop it; pressed twice' },
  { action: 'suspend', keys: ['ctrl+z'], words: 'back to the shell for a while' },
  { action: 'leave', keys: ['q', 'left', 'escape', 'ctrl+c'], words: 'leave the view; Esc ends a search first' },
] as const

export const processTypingKeys = [
  { keys: ['enter'], words: 'send the line' },
  { keys: ['alt+enter'], words: 'send it without a line end' },
  { keys: ['ctrl+c', 'ctrl+d', 'tab', 'up', 'down'], words: 'go to a terminal as they are, with what is typed so far' },
  { keys: ['ctrl+d'], words: 'end the input, where it is no terminal' },
  { keys: ['ctrl+s'], words: 'hide the line, such as a password: it is stored nowhere' },
  { keys: ['escape'], words: 'stop typing; the process goes on' },
] as const

export type ProcessAction = (typeof processKeys)[number]['action']

const actions: ReadonlyMap<string, ProcessAction> = new Map(
  processKeys.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)),
)

/** Returns the action of a key, by its chord or its character; null for other keys. */
export function processActionOf(key: string): ProcessAction | null {
  return actions.get(key) ?? null
}
