import { followTurn, silentSeconds, type TurnClock } from '@parley/presentation/items/turn-clock'
import {
  elapsed,
  hookWords,
  isInboxPaused,
  networkWords,
  refusedNow,
  repairWords,
} from '@parley/presentation/items/turn-words'
import { showEffects, stripEffects } from '@parley/presentation/text/control-characters'
import { type ConversationState, type Plan, unansweredApprovals } from '@parley/protocol'
import { useRef } from 'react'
import type { Ask } from '../link/ask.ts'
import { useSeconds } from '../link/hooks.ts'
import { LastTurn, useEnding } from './last-turn.tsx'
import { WaitingMessage } from './waiting-message.tsx'

interface WorkingProps {
  readonly state: ConversationState
  readonly isView: boolean
  readonly ask: Ask
}

/** Shows what goes on: the turn and how to stop it, a retry, a failure, the plan, and messages that wait. */
export function Working({ state, isView, ask }: WorkingProps) {
  const { core, window } = state
  const { turn, plan } = core
  const ending = useEnding(state)
  return (
    <section className="working" aria-label="What goes on">
      <OpenPlan plan={plan} />
      <Inbox {...{ state, isView, ask }} />
      <OwnCommands {...{ state, isView, ask }} />
      {turn === null ? (
        <>
          <LastTurn core={core} items={window} ending={ending} />
          <Repair {...{ state, isView, ask }} />
        </>
      ) : (
        <RunningTurn {...{ state, turn, isView, ask }} />
      )}
    </section>
  )
}

function isDone({ steps }: Plan): boolean {
  return steps.every(({ status }) => status === 'completed')
}

const marks = { completed: '✓', inProgress: '▸', pending: '○' } as const
const stepWords = { completed: 'done', inProgress: 'at work', pending: 'to do' } as const

/** The plan, until all of it is done. */
export function OpenPlan({ plan }: { readonly plan: Plan | null }) {
  if (plan === null || isDone(plan)) return null
  const { steps } = plan
  const done = steps.filter(({ status }) => status === 'completed').length
  const current = steps.find(({ status }) => status !== 'completed')
  return (
    <details className="plan">
      <summary>
        Plan: {done} of {steps.length} done{current === undefined ? '' : ` · ${stripEffects(current.step)}`}
      </summary>
      <ol>
        {steps.map(({ step, status }, index) => (
          <li key={index} className={status}>
            <span aria-hidden="true">{marks[status]} </span>
            {stripEffects(step)}
            <span className="heard">, {stepWords[status]}</span>
          </li>
        ))}
      </ol>
    </details>
  )
}

function RunningTurn({
  state,
  turn,
  isView,
  ask,
}: WorkingProps & { readonly turn: NonNullable<ConversationState['core']['turn']> }) {
  const nowMs = useSeconds(!turn.parked)
  const { conversationId } = state.core.meta
  const { retry, parked, missingKey } = turn
  const isAsked = unansweredApprovals(state.core).length > 0
  const { hook } = turn
  const clock = useRef<TurnClock | null>(null)
  clock.current = followTurn(clock.current, state, nowMs)
  const silent = silentSeconds(clock.current, nowMs)
  const waiting = missingKey === undefined ? 'Waiting for you' : `Waiting for a key for ${showEffects(missingKey)}`
  const words = parked ? waiting : hook === undefined ? doing(state) : `Running ${hookWords(hook, nowMs)}`
  const time = parked ? '' : ` · ${elapsed(Math.max(0, Math.floor((nowMs - turn.startedAt) / 1_000)))}`
  if (isAsked)
    return (
      <p className="heard" role="status">
        A question waits for your answer
      </p>
    )
  return (
    <div className="row turn">
      <span className={parked ? 'dot still' : 'dot'} aria-hidden="true" />
      <span className="grow">
        <span role="status">{words}</span>
        <span className="muted" aria-hidden="true">
          {time}
          {silent === null ? '' : ` · nothing for ${elapsed(silent)}`}
        </span>
        {retry === null ? null : (
          <span className="t-warn">
            {' '}
            {retry.network === true
              ? `No connection: ${networkWords(retry.failure)}.`
              : showEffects(retry.failure.message)}{' '}
            Again in {Math.max(0, Math.ceil((retry.retryAt - nowMs) / 1_000))} s.
          </span>
        )}
      </span>
      {isView ? null : (
        <>
          {retry === null ? null : (
            <button
              type="button"
              onClick={() => ask((client) => client.request('conversation/retryNow', { conversationId }))}
            >
              Try now
            </button>
          )}
          {parked ? (
            <button
              type="button"
              className="primary"
              onClick={() => ask((client) => client.request('conversation/continue', { conversationId }))}
            >
              Go on
            </button>
          ) : null}
          <button
            type="button"
            onClick={() => ask((client) => client.request('conversation/interrupt', { conversationId }))}
          >
            Stop
          </button>
        </>
      )}
    </div>
  )
}

/** Parts of the conversation that the provider refused, with the way to leave them out. */
function Repair({ state, isView, ask }: WorkingProps) {
  const refused = refusedNow(state)
  if (refused === null || isView) return null
  const { conversationId } = state.core.meta
  const half = refused.seqs.length === 0 ? ({ half: true } as const) : {}
  return (
    <div className="row turn">
      <span className="grow t-warn">This {repairWords(refused)}; /compact undo brings it back.</span>
      <button
        type="button"
        className="primary"
        onClick={() => ask((client) => client.request('conversation/context/leaveOut', { conversationId, ...half }))}
      >
        Leave it out
      </button>
    </div>
  )
}

/** The user's own commands that run, each with the way to stop it. */
function OwnCommands({ state: { core }, isView, ask }: WorkingProps) {
  const { conversationId } = core.meta
  const running = Object.values(core.open).flatMap(({ item }) => (item.type === 'shellCommand' ? [item] : []))
  return running.map(({ id: itemId, command }) => (
    <div key={itemId} className="row turn">
      <span className="dot" aria-hidden="true" />
      <span className="grow">Running !{showEffects(command).slice(0, 80)}</span>
      {isView ? null : (
        <button
          type="button"
          onClick={() =>
            ask((client) => client.request('conversation/interrupt', { conversationId, shell: true, itemId }))
          }
        >
          Stop
        </button>
      )}
    </div>
  ))
}

function doing({ core }: ConversationState): string {
  const open = Object.values(core.open)
  if (open.some(({ item }) => item.type === 'agentMessage' && item.text !== '')) return 'Answering'
  const call = open.find(({ item, executionStarted }) => executionStarted && item.type !== 'shellCommand')
  if (call !== undefined) return `Running ${showEffects(call.item.title).slice(0, 80)}`
  return open.some(({ item }) => item.type === 'contextCompaction') ? 'Compacting' : 'Thinking'
}

function Inbox({ state, isView, ask }: WorkingProps) {
  const { inbox, meta } = state.core
  const { conversationId } = meta
  if (inbox.length === 0) return null
  return (
    <div className="inbox">
      <ul aria-label="Messages that wait">
        {inbox.map((message) => (
          <WaitingMessage key={message.messageId} {...{ conversationId, message, isView, ask }} />
        ))}
      </ul>
      {isView || !isInboxPaused(state) ? null : (
        <button
          type="button"
          className="primary"
          onClick={() => ask((client) => client.request('conversation/continue', { conversationId }))}
        >
          Send what waits
        </button>
      )}
    </div>
  )
}
