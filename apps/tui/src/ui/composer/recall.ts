import { cleanInput } from '../../view/neutralise.ts'
import { type Composer, momentOf, remembered, settle } from './composer.ts'

/** Shows the entry before the one shown, or the newest. `history` is oldest first. The draft is also an undo step. */
export function older(composer: Composer, history: readonly string[]): Composer {
  const index = (composer.recall?.index ?? history.length) - 1
  const entry = history[index]
  if (entry === undefined) return settle(composer)
  const shown = showing(composer, entry)
  if (composer.recall !== null) return { ...shown, recall: { ...composer.recall, index } }
  const draft = momentOf(composer)
  return { ...shown, past: remembered(composer.past, draft), recall: { index, draft } }
}

/** Shows the entry after the one shown; after the newest comes what was being written. */
export function newer(composer: Composer, history: readonly string[]): Composer {
  const { recall } = composer
  if (recall === null) return settle(composer)
  const index = recall.index + 1
  const entry = history[index]
  if (entry === undefined)
    return { ...settle(composer), ...recall.draft, past: composer.past.slice(0, -1), recall: null }
  return { ...showing(composer, entry), recall: { ...recall, index } }
}

/** Another client may have sent it, with anything in it. */
function showing(composer: Composer, entry: string): Composer {
  const text = cleanInput(entry)
  return { ...settle(composer), text, caret: text.length }
}
