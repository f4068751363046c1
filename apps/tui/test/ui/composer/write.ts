import { type Composer, emptyComposer } from '@parley/presentation/composer/composer'
import { applyCommand, type ComposerCommand } from '../../../src/ui/composer/command.ts'
import type { Surroundings } from '../../../src/ui/composer/motions.ts'

export const around: Surroundings = { columns: 20, history: [] }

/** A composer from text in which `|` is the caret. */
export function written(marked: string): Composer {
  const caret = marked.indexOf('|')
  return { ...emptyComposer, text: marked.replace('|', ''), caret: caret === -1 ? marked.length : caret }
}

/** The text with `|` at the caret. */
export function shown({ text, caret }: Composer): string {
  return `${text.slice(0, caret)}|${text.slice(caret)}`
}

export function run(
  composer: Composer,
  commands: readonly (ComposerCommand | Exclude<ComposerCommand['kind'], 'insert' | 'paste'>)[],
  surroundings: Surroundings = around,
): Composer {
  return commands.reduce(
    (current, command) =>
      applyCommand(current, typeof command === 'string' ? { kind: command } : command, surroundings),
    composer,
  )
}
