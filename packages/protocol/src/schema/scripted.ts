import * as z from 'zod'
import { finding } from './call-parts.ts'
import { denial, stopReason, tokenCounts, turnOutcome } from './event-parts.ts'
import { approvalId, conversationId, messageId, turnId } from './ids.ts'
import { answers, decision, outputSchema, sessionScope } from './input.ts'
import { failure } from './item.ts'

const line = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape, about: string) =>
  z.strictObject({ type: z.literal(type), ...shape }).describe(about)

/** A line of stdin with `parley exec --input-format jsonl`. */
export const inputLine = z
  .discriminatedUnion('type', [
    line(
      'message',
      {
        text: z.string().regex(/\S/, 'must not be empty').describe('Message to the model.'),
        images: z
          .array(z.string().min(1))
          .exactOptional()
          .describe('Files, relative to the folder that the command was typed in, or `data:` URLs in base64.'),
        when: z
          .enum(['queue', 'steer'])
          .exactOptional()
          .describe(
            'While a turn runs: `queue` (default) waits for a turn of its own, `steer` goes into the running one.',
          ),
        messageId: messageId.exactOptional().describe('A UUID; sent again, nothing is sent twice.'),
        outputSchema: outputSchema
          .exactOptional()
          .describe('JSON Schema of the answer, in place of `--output-schema`; not with `steer`.'),
      },
      'A message to the model. It starts a turn.',
    ),
    line(
      'answer',
      {
        approvalId: approvalId.describe('`id` of the approval in `approval.requested`.'),
        decision,
        scope: sessionScope.exactOptional(),
        note: z.string().exactOptional().describe('Note to the model with a denial: an alternative.'),
        answers: answers
          .exactOptional()
          .describe('Values for the form of an `elicitation` or a `question`, with `approved`.'),
      },
      'The answer to an approval or a form. With `--json` only: in other formats approvals are denied.',
    ),
    line('interrupt', {}, 'Interrupts the turn that runs. Messages that wait are sent after it.'),
  ])
  .describe('A line of stdin with `--input-format jsonl`.')

/** A line about a line of stdin that has no effect. */
export const inputRejected = z
  .object({
    type: z.literal('input.rejected'),
    line: z.int().min(1).describe('Its number, counted from 1.'),
    failure,
  })
  .describe('A line of stdin has no effect. With `--json` only; the other formats say it on stderr.')

/** The last line of stdout with `--json`, and the only one with `--output-format result`. */
export const runEnded = z
  .object({
    type: z.literal('run.ended'),
    exitCode: z.int().min(0).max(255).describe('Exit code of the program.'),
    conversationId: conversationId.nullable().describe('`null` if no conversation was opened.'),
    turnId: turnId.nullable().describe('The last turn; `null` without a turn.'),
    outcome: turnOutcome.nullable().describe('Outcome of the last turn.'),
    stopReason: stopReason.nullable().exactOptional().describe('Reason why the last turn stopped.'),
    answer: z.string().nullable().describe('Final message of a turn that completed.'),
    failure: failure.nullable().describe('Reason of an exit code other than 0; `null` with 0.'),
    denials: z.array(denial).describe('Calls that were not run because of a rule, or because no client could answer.'),
    usage: tokenCounts.nullable().describe('Tokens of all turns of the run.'),
    findings: z.array(finding).exactOptional().describe('With `exec review`: the findings, the gravest first.'),
    notLookedAt: z
      .array(z.string())
      .exactOptional()
      .describe('With `exec review`: changed files that the model was not given whole and did not look at by itself.'),
  })
  .describe('The run is over. Always the last line.')

export type InputLine = z.infer<typeof inputLine>
