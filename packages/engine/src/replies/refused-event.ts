import { type ConversationEvent, eventProblem, type Failure } from '@parley/protocol'

/** Rejects an event that may not be recorded. Nothing was written; the same event is rejected every time. */
export class RefusedEventError extends Error {
  override readonly name = 'RefusedEventError'
  /** `eventInvalid`: the event breaks the schema. `stateTooLarge`: no snapshot could hold the state after it. */
  readonly code: 'eventInvalid' | 'stateTooLarge'

  constructor(code: RefusedEventError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Throws `RefusedEventError` for an event that breaks its schema; it names the field. */
export function assertValid(event: ConversationEvent): void {
  const problem = eventProblem(event)
  if (problem === null) return
  throw new RefusedEventError(
    'eventInvalid',
    `This cannot be recorded: in ${event.type}, ${problem}. Nothing of it was kept. Correct that and send it again.`,
  )
}

/** Builds the failure of a turn after an event of it was refused. */
export function refusedEventFailure({ code, message }: RefusedEventError): Failure {
  return { code: code === 'stateTooLarge' ? 'eventTooLarge' : code, message }
}
