import { isRecord } from '@parley/text'

/** Sentence of a client on what stopped a turn in place of a user, such as a signal to a script. */
interface ToldStop {
  readonly why: string
}

/** Reason that aborts the work of a turn. `shutdown` leaves stopped processes less time than the others. */
export type AbortReason = 'interrupted' | 'shutdown' | ToldStop

/** Returns the sentence of a client in the reason of an aborted signal; null for a user's interrupt and for a shutdown. */
export function toldWhy(reason: unknown): string | null {
  return isRecord(reason) && typeof reason['why'] === 'string' ? reason['why'] : null
}

/** Title of the notice about a turn that a user interrupted. */
export const interruptedTitle = 'Interrupted'

/** Returns the reason that the title of a notice about an interrupted turn tells of. */
export function abortReasonIn(title: string): AbortReason {
  return title === interruptedTitle ? 'interrupted' : { why: title }
}
