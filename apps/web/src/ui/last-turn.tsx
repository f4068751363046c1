import { endingText, followTurn, type TurnClock } from '@parley/presentation/items/turn-clock'
import { showEffects } from '@parley/presentation/text/control-characters'
import type { CompletedItem, ConversationState } from '@parley/protocol'
import { useRef } from 'react'

interface LastTurnProps extends Pick<ConversationState, 'core'> {
  /** Newest items; one of them may say the failure. */
  readonly items: readonly CompletedItem[]
  /** Time the turn took and when it ended, in words; null where that is not known. */
  readonly ending: string | null
}

/** Says how the last turn ended; a failure only where the transcript does not say it. */
export function LastTurn({ core: { lastTurn }, items, ending }: LastTurnProps) {
  if (lastTurn === null) return null
  const { outcome, failure } = lastTurn
  const isSaid = items.some(({ item }) => item.type === 'notice' && item.title === failure?.message)
  if (failure !== null && !isSaid)
    return (
      <p className="t-bad" role="status">
        {showEffects(failure.message)}
      </p>
    )
  const isShown = outcome === 'interrupted' || ending !== null
  return (
    <p className={isShown ? 'muted ending' : 'heard'} role="status">
      {ending ?? endings[outcome]}
    </p>
  )
}

const endings = { completed: 'Done', interrupted: 'Stopped', failed: 'Failed' } as const
const minuteMs = 60_000

/** Returns how long the last turn took, and when it ended; null for one that was not followed, or was short. */
export function useEnding(state: ConversationState): string | null {
  const clock = useRef<TurnClock | null>(null)
  clock.current = followTurn(clock.current, state, Date.now()) ?? clock.current
  if (state.core.turn !== null || clock.current === null) return null
  return endingText(clock.current, { core: state.core, plan: null }, -new Date().getTimezoneOffset() * minuteMs)
}
