import { createInOrder } from '@parley/host'
import type { Files } from '@parley/journal'
import type { Fence } from '@parley/protocol/exec'
import { keptEpochs } from './kept-epochs.ts'
import { epochOver } from './wire/requests.ts'

/** Highest epoch of each conversation, which outlives the exec-server. */
export interface Epochs {
  /** Resolves when the epoch is on disk and no effect of an earlier one runs. Rejects with `epochOver`. */
  enter(fence: Fence): Promise<void>
  /** Runs an effect of an epoch: at once where that is known. Throws or rejects with `epochOver`, and runs nothing then. */
  run<Result>(fence: Fence, effect: () => Result | Promise<Result>): Result | Promise<Result>
}

/** Opens the epochs in a folder, which is made with the first. It is read each time: another exec-server may share it. */
export function openEpochs(files: Files, folder: string): Epochs {
  const inOrder = createInOrder()
  const entering = new Map<string, number>()
  const running = new Map<string, Set<Promise<unknown>>>()
  const kept = keptEpochs(files, folder)

  /** Returns the epoch on disk. Throws `epochOver` where a later one is there, or about to be, and `epochNotKnown`. */
  function assertCurrent({ conversation, epoch }: Fence): number {
    const stored = kept.stored({ conversation, epoch })
    const highest = Math.max(stored, entering.get(conversation) ?? 0, kept.raisedHere(conversation))
    if (epoch < highest) throw epochOver({ conversation, epoch }, highest)
    return stored
  }

  async function raise({ conversation, epoch }: Fence): Promise<void> {
    if (assertCurrent({ conversation, epoch }) === epoch) return
    entering.set(conversation, epoch)
    try {
      await Promise.allSettled(running.get(conversation) ?? [])
      await kept.keep({ conversation, epoch })
    } finally {
      if (entering.get(conversation) === epoch) entering.delete(conversation)
    }
  }

  function track<Result>(conversation: string, result: Promise<Result>): Promise<Result> {
    const those = running.get(conversation) ?? new Set()
    running.set(conversation, those.add(result))
    const end = () => {
      those.delete(result)
      if (those.size === 0) running.delete(conversation)
    }
    result.then(end, end)
    return result
  }

  const enter = (fence: Fence) => inOrder(fence.conversation, () => raise(fence))

  function run<Result>(fence: Fence, effect: () => Result | Promise<Result>): Result | Promise<Result> {
    const { conversation, epoch } = fence
    if (assertCurrent(fence) < epoch || entering.has(conversation)) return enter(fence).then(() => run(fence, effect))
    const result = effect()
    return result instanceof Promise ? track(conversation, result) : result
  }

  return { enter, run }
}
