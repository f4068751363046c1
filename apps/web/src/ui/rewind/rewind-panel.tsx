import { inputText, isWhole } from '@parley/presentation/items/item-words'
import {
  leftLines,
  nothingToTakeBack,
  notTakenBack,
  type RewindKey,
  rewindChoices,
  rewindTitle,
  takenBackWords,
} from '@parley/presentation/rewind/rewind-choices'
import { showEffects } from '@parley/presentation/text/control-characters'
import { errorMessage } from '@parley/text'
import { useState } from 'react'
import { type BackPoint, useAccess } from '../transcript/access.ts'
import { ChangedFile } from '../transcript/changed-file.tsx'
import { goOnBefore } from './go-on-before.ts'
import { type ShownPlan, usePlan } from './use-plan.ts'

interface PanelProps {
  readonly point: BackPoint
  readonly onClose: () => void
}

/** Shows what going back would change, and asks what of it goes back: files, talk or both. */
export function RewindPanel({ point, onClose }: PanelProps) {
  const { plan, problem, overwrite } = usePlan(point)
  const { done, take } = useTaking(point, plan, overwrite)
  const message = 'to' in point ? null : point
  const withTalk = message?.item.type === 'userMessage' && isWhole(message.item.content)
  const files = plan?.changes.length ?? 0
  const changedSince = plan?.left.filter(({ why }) => why === 'changedSince').length ?? 0
  const choices =
    plan === null || done !== null
      ? []
      : rewindChoices({ files, changedSince, overwrite: plan.overwrite }, withTalk).filter(
          ({ key }) => key !== 'nothing',
        )
  return (
    <section className="rewind" aria-label="Go back">
      <div className="row">
        <strong className="grow" role="status">
          {done ??
            problem ??
            (plan === null ? 'Looking …' : files === 0 ? nothingToTakeBack : rewindTitle(plan.changes))}
        </strong>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {plan === null || done !== null ? null : <PlanBody plan={plan} />}
      {choices.map(({ key, text, detail }) => (
        <button key={key} type="button" className="choice" onClick={() => take(key, onClose)}>
          <strong>{text}</strong> <span className="muted">{detail}</span>
        </button>
      ))}
    </section>
  )
}

function PlanBody({ plan: { changes, left, notes } }: { readonly plan: ShownPlan }) {
  return (
    <>
      {changes.map((change) => (
        <ChangedFile key={change.path} change={change} isOpen={changes.length === 1} />
      ))}
      {[...leftLines(left), ...notes].map((line) => (
        <p key={line} className="t-warn">
          {showEffects(line)}
        </p>
      ))}
    </>
  )
}

/** Takes a choice. `done`: sentence after files were taken back; null before. */
function useTaking(point: BackPoint, plan: ShownPlan | null, overwrite: () => void) {
  const access = useAccess()
  const [done, setDone] = useState<string | null>(null)
  async function carryOut(key: RewindKey): Promise<void> {
    if (access === null || access.client === null || plan === null) return
    const { client, conversationId, place } = access
    const { to, hash } = plan
    if (key === 'files' || key === 'both' || key === 'bothSummary') {
      const params = { conversationId, to, hash, overwrite: plan.overwrite }
      const { status } = await client.request('conversation/rewind', params)
      if (status !== 'completed') return setDone(notTakenBack)
      setDone(takenBackWords(plan.changes.length))
    }
    if (key === 'files' || 'to' in point) return
    const summary = key === 'bothSummary' || key === 'talkSummary'
    await goOnBefore(client, { conversationId, place, summary }, point)
  }
  return {
    done,
    take(key: RewindKey, onClose: () => void) {
      if (key === 'overwrite') return overwrite()
      carryOut(key).then(
        () => key === 'files' || onClose(),
        (error: unknown) => access?.onProblem(errorMessage(error)),
      )
    },
  }
}

interface ListProps {
  readonly messages: readonly Exclude<BackPoint, { readonly to: number }>[]
  readonly onChoose: (point: BackPoint) => void
  readonly onClose: () => void
}

/** Longest part of a message that is listed. */
const shownCharacters = 200

/** Lists messages of the user, newest first, to go back to before one of them. */
export function RewindList({ messages, onChoose, onClose }: ListProps) {
  return (
    <section className="rewind" aria-label="Go back">
      <div className="row">
        <strong className="grow">Go back to before a message</strong>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      {messages.toReversed().map((message) => (
        <button key={message.seq} type="button" className="choice" onClick={() => onChoose(message)}>
          {message.item.type === 'userMessage'
            ? showEffects(inputText(message.item.content) || message.item.title).slice(0, shownCharacters)
            : null}
        </button>
      ))}
    </section>
  )
}
