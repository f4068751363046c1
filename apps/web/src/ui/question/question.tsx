import { dangerWords } from '@parley/presentation/question/reasons'
import type { Answers, Approval, ConversationId, Enforcement } from '@parley/protocol'
import { describeQuestion } from '@parley/protocol/question'
import { useEffect, useRef, useState } from 'react'
import type { Ask } from '../../link/ask.ts'
import { Scrolling } from '../transcript/scrolling.tsx'
import { AnswerRow, type Decide, type QuestionPage } from './answer-row.tsx'
import type { PressRefusal } from './answer-timing.ts'
import { QuestionBody, RuleBody } from './question-body.tsx'
import { FormFields, initialAnswers } from './question-form.tsx'
import { useSeen } from './use-seen.ts'

interface QuestionProps {
  readonly approval: Approval
  readonly enforcement: Enforcement
  readonly waiting: number
  readonly conversationId: ConversationId
  readonly isView: boolean
  readonly ask: Ask
}

const refusals: Readonly<Record<PressRefusal, string>> = {
  tooEarly: 'Too early: press it again.',
  unseen: 'Not all of this has been on the screen. Scroll to its end, then press again.',
}

/** A question in place of the composer. Nothing in it has the focus that says yes. */
export function Question({ approval, enforcement, waiting, conversationId, isView, ask }: QuestionProps) {
  const [page, setPage] = useState<QuestionPage>('question')
  const [refusal, setRefusal] = useState<PressRefusal | null>(null)
  const [answers, setAnswers] = useState<Answers>(() => initialAnswers(approval))
  const [note, setNote] = useState('')
  const [isSent, setSent] = useState(false)
  const seen = useSeen(approval.id, page === 'rule' ? 'rule' : 'question')
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])

  const decide: Decide = ({ decision, scope, answers: given = answers }) => {
    if (isSent) return
    setSent(true)
    ask(async (client) => {
      try {
        await client.request('approval/decide', {
          conversationId,
          approvalId: approval.id,
          decision,
          ...(scope === undefined ? {} : { scope }),
          ...(decision === 'denied' && note.trim() !== '' ? { note: note.trim() } : {}),
          ...(decision === 'approved' && approval.form !== undefined ? { answers: given } : {}),
        })
      } catch (error) {
        setSent(false)
        throw error
      }
    })
  }
  const turnTo = (next: QuestionPage) => {
    setRefusal(null)
    setPage(next)
  }
  const words = describeQuestion(approval, enforcement)
  const danger = dangerWords(approval)
  return (
    <section className={danger === null ? 'question' : 'question danger'} aria-labelledby="question-asks">
      <h2 id="question-asks" ref={heading} tabIndex={-1}>
        {words.asks} {waiting > 1 ? <span className="muted">1 of {waiting}</span> : null}
      </h2>
      <Scrolling className="question-body" ref={seen.box} label="What is asked">
        {page === 'rule' ? (
          <RuleBody approval={approval} />
        ) : (
          <QuestionBody {...{ approval, words, danger }}>
            {approval.form === undefined || approval.kind === 'plan' ? null : (
              <FormFields form={approval.form} answers={answers} onChange={setAnswers} />
            )}
          </QuestionBody>
        )}
      </Scrolling>
      {isView ? (
        <p className="muted">This page may not answer.</p>
      ) : (
        <AnswerRow
          {...{ approval, page, note, turnTo, decide }}
          onNote={setNote}
          button={{ approvalId: approval.id, guard: seen.guard, isSent, onRefused: setRefusal }}
        />
      )}
      <p className="refusal t-warn" role="status">
        {refusalWords(refusal, isView || seen.isSeen)}
      </p>
    </section>
  )
}

function refusalWords(refusal: PressRefusal | null, isSeen: boolean): string {
  if (refusal !== null) return refusals[refusal]
  return isSeen ? '' : 'A yes counts once all of this has been on the screen: scroll to its end.'
}
