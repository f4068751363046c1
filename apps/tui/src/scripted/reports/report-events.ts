import type { Conversation } from '@parley/client'
import { expectedFailure } from '../../cli/messages.ts'
import type { OutputPace } from '../output/run-output.ts'
import type { Reporter } from './reporter.ts'

interface Reported {
  readonly conversation: Conversation
  readonly reporter: Reporter
  readonly pace: OutputPace
}

export interface Reports {
  /** Resolves when the event with this number was reported, or can no longer be. */
  upTo(seq: number): Promise<void>
}

/**
 * Reports every event of the conversation from now on, at the pace of the output's readers. Unread events are not kept
 * here: the server reads them from the log.
 */
export function reportEvents({ conversation, reporter, pace }: Reported): Reports {
  let last = conversation.state.core.seq
  let isOver = false
  let moved = Promise.withResolvers<void>()

  async function report(): Promise<void> {
    for await (const envelope of conversation.events()) {
      reporter.event(envelope)
      last = envelope.seq
      wake()
      if (pace.isBehind) await pace.drained()
    }
  }

  function wake(): void {
    moved.resolve()
    moved = Promise.withResolvers()
  }

  void report()
    // A lost connection or log ends the run elsewhere.
    .catch((error: unknown) => {
      if (expectedFailure(error) === null) throw error
    })
    .finally(() => {
      isOver = true
      wake()
    })
  return {
    async upTo(seq) {
      while (last < seq && !isOver) await moved.promise
    },
  }
}
