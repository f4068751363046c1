import { type Composer, replace } from './composer.ts'
import { lineEnd, lineStart } from './words.ts'

/** Deletes to the offset, either way, and keeps the text for yanking. */
export function killTo(composer: Composer, offset: number): Composer {
  const start = Math.min(offset, composer.caret)
  const end = Math.max(offset, composer.caret)
  const killed = composer.text.slice(start, end)
  return replace(killed === '' ? composer : { ...composer, killed }, { start, end, text: '' })
}

export function deleteTo(composer: Composer, offset: number): Composer {
  return replace(composer, {
    start: Math.min(offset, composer.caret),
    end: Math.max(offset, composer.caret),
    text: '',
  })
}

/** At a line's end its line end goes, so that repeating it goes on. */
export function killToLineEnd(composer: Composer): Composer {
  const end = lineEnd(composer)
  return killTo(composer, end === composer.caret ? Math.min(end + 1, composer.text.length) : end)
}

export function killToLineStart(composer: Composer): Composer {
  const start = lineStart(composer)
  return killTo(composer, start === composer.caret ? Math.max(start - 1, 0) : start)
}

export function yank(composer: Composer): Composer {
  return replace(composer, { start: composer.caret, end: composer.caret, text: composer.killed })
}
