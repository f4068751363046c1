import type { AnswerGuard } from '@parley/presentation/question/answers'
import { type KeyboardEvent, type MouseEvent, type RefObject, useRef } from 'react'
import { type PressRefusal, refusalOf } from './answer-timing.ts'

export interface AnswerButtonProps {
  readonly approvalId: string
  readonly guard: RefObject<AnswerGuard>
  readonly isSent: boolean
  readonly isYes: boolean
  readonly words: string
  readonly onAnswer: () => void
  readonly onRefused: (refusal: PressRefusal | null) => void
}

/** Times of the newest keys anywhere in the page, the newest last. */
const keyTimes = { before: Number.NEGATIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
addEventListener(
  'keydown',
  ({ timeStamp }) => {
    keyTimes.before = keyTimes.last
    keyTimes.last = timeStamp
  },
  { capture: true },
)

/** A button that counts only when it was pressed after the question could be read. */
export function AnswerButton({ approvalId, guard, isSent, isYes, words, onAnswer, onRefused }: AnswerButtonProps) {
  const downAtMs = useRef<number | null>(null)
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    // A click without a pointer comes from a key, or from an assistive program.
    const isByKey = downAtMs.current === null
    const down = downAtMs.current ?? event.timeStamp
    downAtMs.current = null
    const keyBeforeAtMs = isByKey ? keyTimes.before : null
    const refusal = refusalOf(guard.current, approvalId, { downAtMs: down, keyBeforeAtMs, isYes })
    onRefused(refusal)
    if (refusal === null) onAnswer()
  }
  // A key that is held down presses again and again.
  const ignoreRepeats = (event: KeyboardEvent<HTMLButtonElement>) => {
    if (event.repeat) event.preventDefault()
  }
  return (
    <button
      type="button"
      className={isYes ? 'answer-yes' : 'answer-no'}
      disabled={isSent}
      onPointerDown={(event) => {
        downAtMs.current = event.timeStamp
      }}
      onPointerCancel={() => {
        downAtMs.current = null
      }}
      onKeyDown={ignoreRepeats}
      onClick={press}
    >
      {words}
    </button>
  )
}
