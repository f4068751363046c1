import { argumentsFor, completionsFor } from '@parley/presentation/commands/slash-commands'
import { type AtWord, atWordAt } from '@parley/presentation/composer/at-word'
import { type Completion, completed, fileCompletion } from '@parley/presentation/composer/completion'
import { type Composer, clear, insert } from '@parley/presentation/composer/composer'
import { type NamedPart, partsAt } from '@parley/presentation/composer/part-word'
import { type FileList, matchPaths } from '@parley/text'
import type { KeyEvent } from './keys/key-event.ts'
import { openModelMenu } from './press-in-menu.ts'
import { stepTo, type UiContext, type UiStep } from './state/actions.ts'
import { changePart, type UiState } from './state/ui-state.ts'

export function completionsOf({
  composing: { composer, dismissed, purpose },
  history: { search },
  lists: { files, parts },
}: UiState): readonly Completion[] {
  if (purpose.kind !== 'message' || search !== null || composer.text === dismissed) return []
  const word = atWordAt(composer)
  if (word !== null) return fileCompletions(word, files)
  const commands = commandCompletions(composer.text)
  const named = partsAt(composer, parts).filter(({ written }) => !commands.some(({ text }) => text === written))
  return [...commands, ...named.map(partCompletion)]
}

/** Returns the completion of a command or skill: one that stands for the whole text is entered as a command is. */
function partCompletion({ written, argument, about, start, end }: NamedPart): Completion {
  const kind = written.startsWith('/') ? 'command' : 'skill'
  return { kind, text: written, argument, about, start, end, inserted: `${written} ` }
}

export function chosenCompletion(ui: UiState): Completion | null {
  const list = completionsOf(ui)
  return list[Math.min(ui.composing.choice, list.length - 1)] ?? null
}

/** Returns true if the completion would change nothing in the text. */
export function isWritten({ text }: Composer, { start, end, inserted }: Completion): boolean {
  return text.slice(start, end) === inserted.trimEnd()
}

function commandCompletions(text: string): readonly Completion[] {
  const commands = completionsFor(text).map(({ name, argument, about }) => ({
    kind: 'command' as const,
    text: `/${name}`,
    argument,
    about,
    start: 0,
    end: text.length,
    inserted: `/${name} `,
  }))
  if (commands.length > 0) return commands
  const start = text.lastIndexOf(' ') + 1
  return argumentsFor(text).map(({ key, detail }) => ({
    kind: 'argument',
    text: key,
    argument: '',
    about: detail,
    start,
    end: text.length,
    inserted: key,
  }))
}

/** Last query of files with its result: layout and keys ask the same several times a frame. */
let last: { readonly files: FileList; readonly word: AtWord; readonly found: readonly Completion[] } | null = null

function fileCompletions(word: AtWord, files: FileList | null): readonly Completion[] {
  if (files === null) return []
  const isSame = last?.files === files && last.word.query === word.query && last.word.start === word.start
  if (last !== null && isSame && last.word.end === word.end) return last.found
  const found = matchPaths(files, word.query).map((path) => fileCompletion(word, path))
  last = { files, word, found }
  return found
}

/** Moves the choice among the completions, round at either end. */
export function chooseCompletion(ui: UiState, _: UiContext, event: KeyEvent): UiStep {
  const { length } = completionsOf(ui)
  const step = event.kind === 'key' && event.name === 'up' ? length - 1 : 1
  return stepTo(changePart(ui, 'composing', { choice: (ui.composing.choice + step) % length }))
}

/** Puts the chosen completion in the text; null without completions. */
export function complete(ui: UiState): UiStep | null {
  const chosen = chosenCompletion(ui)
  if (chosen === null) return null
  return stepTo(changePart(ui, 'composing', { composer: completed(ui.composing.composer, chosen), choice: 0 }))
}

/** Opens the list of models where one is being named; null for any other text. */
export function completeModel(ui: UiState, context: UiContext): UiStep | null {
  const typed = /^\/model +(.*)$/.exec(ui.composing.composer.text)?.[1]
  if (typed === undefined || ui.connection.link.kind !== 'up') return null
  const step = openModelMenu(changePart(ui, 'composing', { composer: clear(ui.composing.composer) }), context)
  const { menu } = step.ui
  return menu === null ? step : { ...step, ui: { ...step.ui, menu: { ...menu, filter: insert(menu.filter, typed) } } }
}
