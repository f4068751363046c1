import * as z from 'zod'
import { hookEvents } from '../modes/hook-names.ts'
import { itemId, messageId, turnId } from './ids.ts'
import { item } from './item.ts'
import { jsonText } from './redaction-marks.ts'

export const hookRef = z
  .object({
    name: z.string().describe('Its configured name, else its command.'),
    on: z.enum(hookEvents).describe('Event that it runs at.'),
    source: z.enum(['user', 'project']).describe('Configuration that it stands in.'),
  })
  .describe('A configured hook.')

/** Fields of the event about a run. */
export const hookRun = {
  hook: hookRef,
  turnId: turnId.exactOptional(),
  itemId: itemId.exactOptional().describe('Guarded call.'),
  messageId: messageId.exactOptional().describe('Guarded message.'),
  outcome: z
    .enum(['passed', 'asked', 'stopped', 'failed', 'interrupted'])
    .describe(
      '`asked`: the user has to be asked. `stopped`: the guarded action does not happen, or the turn continues instead of ending. `failed`: the hook gave no answer, which stopped nothing. `interrupted`: the turn was interrupted, or the program ended before the hook answered.',
    ),
  reason: z.string().exactOptional().describe('Reason for stopping or asking, or the failure.'),
  endsTurn: z.literal(true).exactOptional().describe('It ends the turn.'),
  context: z.string().exactOptional().describe('Text that the model gets.'),
  rewritten: z
    .object({
      arguments: jsonText(z.string()).describe("Arguments that replace the model's."),
      item: item.describe('The call as it is now.'),
    })
    .exactOptional()
    .describe('Change of the call, about which the user is asked.'),
  said: z.string().exactOptional().describe('Beginning of its output, for people.'),
  exitCode: z.int().exactOptional().describe('Left out where a signal ended it, and where it could not start.'),
  durationMs: z.int().min(0).describe('Run time in ms.'),
}

/** Configured hook that is about to run. */
const dueHook = hookRef.extend({
  required: z.literal(true).exactOptional().describe('The guarded action is blocked if the hook fails.'),
})

/** Fields of the event about the hooks of a moment. */
export const hooksStarted = {
  on: z.enum(hookEvents),
  turnId: turnId.exactOptional(),
  itemId: itemId.exactOptional().describe('Call that they run for.'),
  hooks: z.array(dueHook).min(1).describe('In their order; one runs after the other.'),
}

/** Fields of the event about a run that has not ended yet. */
export const hookRunning = {
  hook: hookRef,
  turnId,
  itemId: itemId.exactOptional().describe('Call that it runs for.'),
  durationMs: z.int().min(0).describe('Time in ms that it has run so far.'),
}

export type HookRef = z.infer<typeof hookRef>
