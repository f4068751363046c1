import { choiceWords } from '@parley/presentation/question/answer-words'
import { type AnswerGuard, choicesFor, decisionFor, isYes, modeToWorkIn } from '@parley/presentation/question/answers'
import type { Answers, Approval, ApprovalDecision } from '@parley/protocol'
import { planAnswers, reachOfAlways } from '@parley/protocol/question'
import { type KeyboardEvent, type MouseEvent, type ReactNode, type RefObject, useRef } from 'react'
import { type PressRefusal, refusalOf } from './answer-timing.ts'

/** Subject of the buttons: the question, the rule that would be added, or the reason for a no. */
export type QuestionPage = 'question' | 'rule' | 'note'

/** Sends an answer; `answers` replace the answers of the form. */
export type Decide = (given: {
  readonly decision: ApprovalDecision
  readonly scope?: 'any'
  readonly answers?: Answers
}) => void

interface AnswerRowProps {
  readonly approval: Approval
  readonly page: QuestionPage
  readonly note: string
  readonly onNote: (note: string) => void
  readonly turnTo: (page: QuestionPage) => void
  readonly decide: Decide
  /** Properties that all buttons have in common. */
  readonly button: Pick<AnswerButtonProps, 'approvalId' | 'guard' | 'isSent' | 'onRefused'>
}

export function AnswerRow(props: AnswerRowProps) {
  if (props.page === 'note') return <NoteRow {...props} />
  return props.page === 'rule' ? <RuleRow {...props} /> : <ChoiceRow {...props} />
}

function ChoiceRow({ approval, button, turnTo, decide }: AnswerRowProps) {
  const { labels } = choiceWords(approval, false)
  return (
    <div className="answers">
      {choicesFor(approval).map(({ answer }) => (
        <AnswerButton
          key={answer}
          {...button}
          isYes={isYes(answer)}
          words={labels[answer]}
          onAnswer={() => {
            if (answer === 'remember') turnTo('rule')
            else if (answer === 'note') turnTo('note')
            else {
              const mode = modeToWorkIn(approval, answer)
              if (mode === null) decide(decisionFor(answer))
              else decide({ decision: 'approved', answers: planAnswers(mode) })
            }
          }}
        />
      ))}
    </div>
  )
}

function RuleRow({ approval, button, turnTo, decide }: AnswerRowProps) {
  return (
    <WithBack turnTo={turnTo}>
      <p>It holds {reachOfAlways(approval.kind)}.</p>
      <AnswerButton
        {...button}
        isYes
        words="Add it and run this"
        onAnswer={() => decide({ decision: 'approvedAlways' })}
      />
    </WithBack>
  )
}

function NoteRow({ approval, note, onNote, button, turnTo, decide }: AnswerRowProps) {
  const isPlan = approval.kind === 'plan'
  return (
    <WithBack turnTo={turnTo}>
      <label htmlFor="deny-note">{isPlan ? 'What should change?' : 'What should it do instead?'}</label>
      <textarea id="deny-note" rows={2} value={note} onChange={(event) => onNote(event.target.value)} />
      <AnswerButton
        {...button}
        isYes={false}
        words={isPlan ? 'Keep planning' : 'No'}
        onAnswer={() => decide({ decision: 'denied' })}
      />
    </WithBack>
  )
}

function WithBack({ turnTo, children }: { readonly turnTo: AnswerRowProps['turnTo']; readonly children: ReactNode }) {
  return (
    <div className="answers">
      {children}
      <button type="button" onClick={() => turnTo('question')}>
        Back
      </button>
    </div>
  )
}

interface AnswerButtonProps {
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
function AnswerButton({ approvalId, guard, isSent, isYes, words, onAnswer, onRefused }: AnswerButtonProps) {
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
