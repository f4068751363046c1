import type { KeyEvent } from '../ui/keys/key-event.ts'
import type { Intent } from '../ui/state/actions.ts'

interface Pressed {
  readonly intents: readonly Intent[]
  /** Keys behind one that opens a view in front of the screen: they are for the view. */
  readonly rest: readonly KeyEvent[]
}

/** Applies keys in order, up to one that opens a view. */
export function pressUntilView(keys: readonly KeyEvent[], apply: (key: KeyEvent) => readonly Intent[]): Pressed {
  const intents: Intent[] = []
  for (const [index, key] of keys.entries()) {
    const asked = apply(key)
    for (const intent of asked) intents.push(intent)
    if (asked.some(opensView)) return { intents, rest: keys.slice(index + 1) }
  }
  return { intents, rest: [] }
}

function opensView({ kind }: Intent): boolean {
  return kind === 'showTranscript' || kind === 'showProcess'
}
