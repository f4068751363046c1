import { addTokens, type ConversationEvent, type EventOf, noTokens, type TurnBudget } from '@parley/protocol'
import { exitCodes } from '../cli/exit-codes.ts'
import type { ExecFlags } from '../cli/flags.ts'
import { StoppedError } from './end/stopper.ts'

/** Budget of a run; each turn gets the rest that the turns before it left. */
export interface RunBudget {
  /** Counts the model calls of all turns as their events come. */
  note(event: ConversationEvent): void
  /** Subtracts the usage of a turn of this run. */
  spend(end: Pick<EventOf<'turn.ended'>, 'turnId' | 'usage'>): void
  /** Returns the budget of the next turn; empty without limits. Throws `StoppedError` for a budget that is used up. */
  rest(): { readonly budget?: TurnBudget }
}

export function createRunBudget({
  maxTurns,
  maxTokens,
  maxCost,
}: Pick<ExecFlags, 'maxTurns' | 'maxTokens' | 'maxCost'>): RunBudget {
  const calls = new Map<string, number>()
  let modelCalls = 0
  let usage = noTokens
  return {
    note(event) {
      if (event.type === 'usage.updated') calls.set(event.turnId, (calls.get(event.turnId) ?? 0) + 1)
    },
    spend({ turnId, usage: more }) {
      modelCalls += calls.get(turnId) ?? 0
      usage = addTokens(usage, more)
    },
    rest() {
      const budget = {
        ...left('modelCalls', maxTurns, modelCalls),
        ...left('tokens', maxTokens, usage.inputTokens + usage.outputTokens),
        ...left('costUsd', maxCost, usage.costUsd ?? 0),
      }
      return Object.keys(budget).length === 0 ? {} : { budget }
    },
  }
}

const limits = {
  modelCalls: { code: 'maxTurns', flag: '--max-turns' },
  tokens: { code: 'maxTokens', flag: '--max-tokens' },
  costUsd: { code: 'maxCost', flag: '--max-cost' },
} as const

function left(name: keyof typeof limits, most: number | undefined, used: number): TurnBudget {
  if (most === undefined) return {}
  if (used < most) return { [name]: most - used }
  const { code, flag } = limits[name]
  const message = `The limit of ${flag} was used up before the next message was sent.`
  throw new StoppedError(exitCodes.budget, { code, message })
}
