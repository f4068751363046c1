import type { ConversationState } from '@parley/protocol'
import { type KeyEvent, keyPress } from '../../src/ui/keys/key-event.ts'
import type { Intent } from '../../src/ui/state/actions.ts'
import type { UiState } from '../../src/ui/state/ui-state.ts'
import { followState, updateUi } from '../../src/ui/update/update-ui.ts'

export interface Typed {
  readonly ui: UiState
  readonly intents: readonly Intent[]
}

/** Keys by name, as `ctrl+c` or `enter`; anything else is typed. One key a second, so that each has its effect. */
export function typeKeys(ui: UiState, state: ConversationState | null, ...keys: readonly string[]): Typed {
  return keys.reduce<Typed>(
    (typed, key, index) => {
      const atMs = 10_000 + index * 1_000
      return rest(press(typed, state, keyOf(key), atMs), state, atMs + 999)
    },
    { ui: seenAt(ui, state, 0), intents: [] },
  )
}

/** The same, all at one moment. */
export function typeAtOnce(
  ui: UiState,
  state: ConversationState | null,
  atMs: number,
  ...keys: readonly string[]
): Typed {
  return keys.reduce<Typed>((typed, key) => press(typed, state, keyOf(key), atMs), { ui, intents: [] })
}

/** The text letter by letter, each after this many ms, with nothing else between them. */
export function typeText(ui: UiState, state: ConversationState | null, text: string, gaps: readonly number[]): Typed {
  let atMs = 10_000
  return [...text].reduce<Typed>(
    (typed, letter, index) => {
      const gapMs = gaps[index % gaps.length] ?? 0
      const quiet = rest(typed, state, atMs + gapMs - 1)
      atMs += gapMs
      return press(quiet, state, keyOf(letter), atMs)
    },
    { ui: seenAt(ui, state, 0), intents: [] },
  )
}

/** No key came up to this time. */
export function rest({ ui, intents }: Typed, state: ConversationState | null, nowMs: number): Typed {
  const step = updateUi(ui, { kind: 'quiet' }, contextAt(state, nowMs))
  return { ui: followState(step.ui, { state }), intents: [...intents, ...step.intents] }
}

/** With what is pending painted at that time, all of it. */
export function seenAt(ui: UiState, state: ConversationState | null, atMs: number, isSeen = true): UiState {
  const pending = Object.values(state?.core.approvals ?? {}).find((approval) => approval.state === 'pending')
  return updateUi(ui, { kind: 'painted', approvalId: pending?.id ?? null, isSeen }, contextAt(state, atMs)).ui
}

function press({ ui, intents }: Typed, state: ConversationState | null, event: KeyEvent, nowMs: number): Typed {
  const step = updateUi(ui, { kind: 'key', event }, contextAt(state, nowMs))
  return { ui: followState(step.ui, { state }), intents: [...intents, ...step.intents] }
}

export function contextAt(state: ConversationState | null, nowMs: number) {
  return { state, nowMs, columns: 80, freshId: `id-${nowMs}` }
}

const names = /^(?:enter|escape|tab|up|down|left|right|home|end|pageup|backspace|(?:ctrl|alt|shift)\+.+)$/

export function keyOf(key: string): KeyEvent {
  if (!names.test(key)) return { kind: 'text', text: key }
  const name = key.replace(/^(?:ctrl|alt|shift)\+/, '')
  return keyPress(name, { ctrl: key.startsWith('ctrl+'), alt: key.startsWith('alt+'), shift: key.startsWith('shift+') })
}
