import { inputText, isWhole } from '@parley/presentation/items/item-words'
import { pointBefore } from '@parley/presentation/rewind/point-before'
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
import type { ConversationState, RewindPlan } from '@parley/protocol'
import { errorMessage } from '@parley/text'
import { type ReactNode, useCallback, useEffect, useState } from 'react'
import { type BackPoint, type EntryContext, type GoBack, useAccess } from '../transcript/access.ts'
import { ChangedFile } from '../transcript/changed-file.tsx'
import { goOnBefore, readsOf } from './go-on-before.ts'

interface Rewinding {
  readonly goBack: GoBack
  /** Panel to show above the composer; null while nobody goes back. */
  readonly panel: ReactNode
}

interface RewindRequest {
  /** Number of the request, so that the same point is planned anew. */
  readonly key: number
  /** Point to go back to; null while it is chosen. */
  readonly point: BackPoint | null
}

/** Goes back on request of a command, or of a message. */
export function useRewind({ window }: Pick<ConversationState, 'window'>): Rewinding {
  const [shown, setShown] = useState<RewindRequest | null>(null)
  const close = () => setShown(null)
  const goBack = useCallback<GoBack>((point) => setShown((before) => ({ key: (before?.key ?? 0) + 1, point })), [])
  const panel =
    shown === null ? null : shown.point !== null ? (
      <RewindPanel key={shown.key} point={shown.point} onClose={close} />
    ) : (
      <RewindList
        messages={window.filter(({ item }) => item.type === 'userMessage')}
        onChoose={goBack}
        onClose={close}
      />
    )
  return { goBack, panel }
}

interface PanelProps {
  readonly point: BackPoint
  readonly onClose: () => void
}

/** Shows what going back would change, and asks what of it goes back: files, talk or both. */
function RewindPanel({ point, onClose }: PanelProps) {
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
function RewindList({ messages, onChoose, onClose }: ListProps) {
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

/** Plan to go back, as it is shown. */
interface ShownPlan extends RewindPlan {
  readonly overwrite: boolean
}

interface Planning {
  /** Plan to show; null until it is there. */
  readonly plan: ShownPlan | null
  readonly problem: string | null
  /** Plans anew, with files that somebody else changed since. */
  readonly overwrite: () => void
}

/** Plans to bring files back to how they were at a point; changes nothing. */
function usePlan(point: BackPoint): Planning {
  const access = useAccess()
  const [overwrite, setOverwrite] = useState(false)
  const [planned, setPlanned] = useState<Omit<Planning, 'overwrite'>>({ plan: null, problem: null })
  useEffect(() => {
    let isOver = false
    const show = (shown: typeof planned) => isOver || setPlanned(shown)
    planOf(point, access, overwrite).then(
      (plan) => show({ plan: plan === null ? null : { ...plan, overwrite }, problem: null }),
      (error: unknown) => show({ plan: null, problem: errorMessage(error) }),
    )
    return () => {
      isOver = true
    }
  }, [point, access, overwrite])
  return { ...planned, overwrite: () => setOverwrite(true) }
}

/** Returns the plan; null without a link. */
async function planOf(point: BackPoint, access: EntryContext | null, overwrite: boolean): Promise<RewindPlan | null> {
  const { client = null, conversationId } = access ?? {}
  if (client === null || conversationId === undefined) return null
  const to = 'to' in point ? point.to : ((await pointBefore(readsOf(client, conversationId), point)) ?? 0)
  return client.request('conversation/rewind/plan', { conversationId, to, overwrite })
}
