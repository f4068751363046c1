import { lineAfterOutput, newTypedLine, type SentText, type TypedLine } from '@parley/presentation/processes/typed-line'
import type { ItemId, ResultOf } from '@parley/protocol'
import { chord } from '../composer/command.ts'
import type { KeyEvent } from '../keys/key-event.ts'
import { type ProcessAction, processActionOf } from '../keys/process-keys.ts'
import { pasteText, type TypingStep, typeKey } from './type-in-process.ts'

export type ProcessOutput = ResultOf<'conversation/process/read'>

/** Command with its output on the screen. */
export interface ShownProcess {
  readonly itemId: ItemId
  readonly title: string
}

/** State of the view of a process. Immutable; `pressInProcess` and `withOutput` return the next one. */
export interface ProcessView extends ShownProcess {
  /** Output on the screen; null before the first answer. */
  readonly shown: ProcessOutput | null
  /** Newest output, which differs while rows above the end are read. */
  readonly newest: ProcessOutput | null
  /** Text that all lines have; empty for the newest lines. */
  readonly query: string
  /** Text in the last row; null while the user types no text. */
  readonly prompt: { readonly kind: 'search' | 'tell'; readonly text: string } | null
  /** Line for the process; null while the user types no line. */
  readonly typed: TypedLine | null
  /** Rows between the last one on the screen and the newest. */
  readonly fromEnd: number
  /** True after the first of two keys that stop it. */
  readonly isStopping: boolean
  /** Result of the last key, shown until the next. */
  readonly note: string | null
}

/** Request of the view that the program carries out. */
export type ProcessEffect =
  /** Reads anew, since other lines are wanted. */
  | { readonly kind: 'read' }
  | { readonly kind: 'tell'; readonly pattern: string }
  | { readonly kind: 'type'; readonly sent: SentText }
  /** Gives the terminal of the process the size of the view. */
  | { readonly kind: 'resize' }
  | { readonly kind: 'stop' }
  | { readonly kind: 'suspend' | 'leave' }

export interface ProcessStep {
  readonly view: ProcessView
  readonly effects: readonly ProcessEffect[]
}

/** Rows of the view, and the part of them that fits on the screen. */
export interface ProcessRoom {
  readonly rowCount: number
  readonly height: number
}

export function openProcess({ itemId, title }: ShownProcess): ProcessView {
  const nothing = { shown: null, newest: null, prompt: null, typed: null, note: null }
  return { itemId, title, query: '', fromEnd: 0, isStopping: false, ...nothing }
}

/** Takes newly read output; rows above the end stay as they are while the user reads them. */
export function withOutput(view: ProcessView, newest: ProcessOutput): ProcessView {
  const isStopping = view.isStopping && newest.end === null
  const typed = newest.input === undefined ? null : typedAfter(view, newest)
  return { ...view, newest, isStopping, typed, shown: view.fromEnd > 0 ? view.shown : newest }
}

function typedAfter({ typed, newest: before }: ProcessView, { lines, totalBytes }: ProcessOutput): TypedLine | null {
  if (typed === null || before?.totalBytes === totalBytes) return typed
  return lineAfterOutput(typed, lines.at(-1)?.text ?? '')
}

/** Handles a key; several characters that come at once are keys one after the other. */
export function pressInProcess(view: ProcessView, event: KeyEvent, room: ProcessRoom): ProcessStep {
  if (event.kind === 'key') return pressOne(view, chord(event), room)
  if (event.kind !== 'text' && event.kind !== 'paste') return step(view)
  if (event.kind === 'paste' && view.typed !== null) return typing(view, pasteText(view.typed, event.text))
  if (event.kind === 'paste' && view.prompt === null) return step(view)
  return [...event.text.replace(/\s+/g, ' ')].reduce((before, key) => {
    const { view: next, effects } = pressOne(before.view, key, room)
    return { view: next, effects: [...before.effects, ...effects] }
  }, step(view))
}

function step(view: ProcessView, ...effects: readonly ProcessEffect[]): ProcessStep {
  return { view, effects }
}

function pressOne(before: ProcessView, key: string, room: ProcessRoom): ProcessStep {
  const view = { ...before, note: null, isStopping: false }
  if (view.prompt !== null) return pressInPrompt(view, view.prompt, key)
  if (view.typed !== null) return pressInTyping(view, { line: view.typed, key }, room)
  const action = processActionOf(key)
  if (action === null) return step(view)
  if (action === 'stop') return stop(before)
  if (action === 'type') return beginTyping(view)
  if (key === 'escape' && view.query !== '') return step(withQuery(view, ''), { kind: 'read' })
  return act(view, action, room)
}

/** Begins to type where the process takes input; else says why not. */
function beginTyping(view: ProcessView): ProcessStep {
  const { newest } = view
  if (newest === null) return step(view)
  if (newest.end !== null) return step({ ...view, note: 'It does not run any more.' })
  if (newest.input === undefined) return step({ ...view, note: 'It takes no input: it was started without one.' })
  const typed = newTypedLine(newest.lines.at(-1)?.text ?? '')
  const at = scrolled({ ...view, typed }, 0)
  return newest.input === 'terminal' ? step(at, { kind: 'resize' }) : step(at)
}

/** Keys that move in the output while a line is typed. */
const movesInTyping: ReadonlySet<string> = new Set(['pageup', 'pagedown'])

function pressInTyping(
  view: ProcessView,
  { line, key }: { readonly line: TypedLine; readonly key: string },
  room: ProcessRoom,
): ProcessStep {
  if (movesInTyping.has(key)) return act(view, key === 'pageup' ? 'pageUp' : 'pageDown', room)
  return typing(view, typeKey(line, key, view.newest?.input ?? 'pipe'))
}

function typing(view: ProcessView, { line, sent }: TypingStep): ProcessStep {
  const next = { ...view, typed: line }
  return sent === null ? step(next) : step(scrolled(next, 0), { kind: 'type', sent })
}

function pressInPrompt(view: ProcessView, prompt: NonNullable<ProcessView['prompt']>, key: string): ProcessStep {
  const closed = { ...view, prompt: null }
  const { kind, text } = prompt
  switch (key) {
    case 'enter':
      if (kind === 'search') return step(withQuery(closed, text), { kind: 'read' })
      return text === '' ? step(closed) : step(closed, { kind: 'tell', pattern: text })
    case 'backspace':
    case 'ctrl+h':
      return step(text === '' ? closed : { ...view, prompt: { kind, text: [...text].slice(0, -1).join('') } })
    case 'ctrl+u':
      return step({ ...view, prompt: { kind, text: '' } })
    case 'escape':
    case 'ctrl+c':
      return step(closed)
    default:
      return [...key].length === 1 ? step({ ...view, prompt: { kind, text: text + key } }) : step(view)
  }
}

function withQuery(view: ProcessView, query: string): ProcessView {
  return { ...view, query, shown: null, newest: null, fromEnd: 0 }
}

function stop(view: ProcessView): ProcessStep {
  if (view.newest !== null && view.newest.end !== null) return step({ ...view, note: 'It does not run any more.' })
  if (!view.isStopping) return step({ ...view, isStopping: true, note: null })
  return step({ ...view, isStopping: false, note: 'It is being stopped.' }, { kind: 'stop' })
}

function act(
  view: ProcessView,
  action: Exclude<ProcessAction, 'stop' | 'type'>,
  { rowCount, height }: ProcessRoom,
): ProcessStep {
  const most = Math.max(0, rowCount - height)
  const to = (fromEnd: number) => step(scrolled(view, Math.max(0, Math.min(most, fromEnd))))
  switch (action) {
    case 'up':
      return to(view.fromEnd + 1)
    case 'down':
      return to(view.fromEnd - 1)
    case 'pageUp':
      return to(view.fromEnd + height)
    case 'pageDown':
      return to(view.fromEnd - height)
    case 'start':
      return to(most)
    case 'end':
      return to(0)
    case 'search':
    case 'tell':
      return step({ ...view, prompt: { kind: action, text: '' } })
    case 'suspend':
    case 'leave':
      return step(view, { kind: action })
  }
}

/** Returns the view that far above the end; at the end it shows the newest again. */
function scrolled(view: ProcessView, fromEnd: number): ProcessView {
  return { ...view, fromEnd, shown: fromEnd === 0 ? view.newest : view.shown }
}
