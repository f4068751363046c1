import type { ListedConversation } from '@parley/protocol'
import { stepTo, type UiStep } from './actions.ts'
import { applyCommand, chord, commandForKey } from './composer/command.ts'
import type { KeyEvent } from './keys/key-event.ts'
import type { Picker, UiState } from './ui-state.ts'

/** Returns conversations whose title, name, folder or id contains every word of the filter. */
export function matching({ conversations, filter }: Picker): readonly ListedConversation[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return (conversations ?? []).filter(({ title, name, cwd, shortId }) => {
    const text = `${name ?? ''} ${title} ${cwd} ${shortId}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function chosen(picker: Picker): ListedConversation | null {
  return matching(picker)[picker.choice] ?? null
}

/** Handles keys of the open list; Enter opens the chosen conversation. */
export function pressInPicker(ui: UiState, picker: Picker, event: KeyEvent): UiStep {
  if (event.kind !== 'key' || chord(event) !== 'enter') return stepTo({ ...ui, picker: moveOrFilter(picker, event) })
  const conversation = chosen(picker)
  if (conversation === null) return stepTo(ui)
  const { conversationId } = conversation
  if (conversationId === ui.opened?.conversationId) return stepTo({ ...ui, picker: null })
  return stepTo(ui, { kind: 'open', conversationId })
}

/** Moves the choice by arrows; other keys edit the filter. */
function moveOrFilter(picker: Picker, event: KeyEvent): Picker {
  const last = matching(picker).length - 1
  const step = event.kind === 'key' ? steps[event.name] : undefined
  if (step !== undefined) return { ...picker, choice: Math.max(0, Math.min(last, picker.choice + step)) }
  const command = commandForKey(event)
  if (command === null) return picker
  const filter = applyCommand(picker.filter, command, { columns: 200, history: [] })
  return filter.text === picker.filter.text ? { ...picker, filter } : { ...picker, filter, choice: 0 }
}

const steps: Readonly<Record<string, number>> = { up: -1, down: 1, pageup: -10, pagedown: 10 }
