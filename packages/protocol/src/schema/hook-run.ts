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
  itemId: itemId.exactOptional().describe('Call that it ran for.'),
  messageId: messageId.exactOptional().describe('Message that it ran for.'),
  outcome: z
    .enum(['passed', 'asked', 'stopped', 'failed', 'interrupted'])
    .describe(
      '`asked`: the user has to be asked. `stopped`: what it ran for does not happen, or the turn goes on in place of its end. `failed`: it could not say anything, which stopped nothing. `interrupted`: the turn was, or the program ended before it had said anything.',
    ),
  reason: z.string().exactOptional().describe('Why it stopped or asked, or what failed.'),
  endsTurn: z.literal(true).exactOptional().describe('It ends the turn.'),
  context: z.string().exactOptional().describe('Text that the model gets.'),
  rewritten: z
    .object({
      arguments: jsonText(z.string()).describe('Arguments in place of those of the model.'),
      item: item.describe('The call as it is now.'),
    })
    .exactOptional()
    .describe('Change of the call, about which the user is asked.'),
  said: z.string().exactOptional().describe('Beginning of what it wrote, for people.'),
  exitCode: z.int().exactOptional().describe('Left out where a signal ended it, and where it could not start.'),
  durationMs: z.int().min(0).describe('Run time in ms.'),
}

/** Configured hook that is about to run. */
const dueHook = hookRef.extend({
  required: z.literal(true).exactOptional().describe('Where it fails, what it runs for is stopped.'),
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
