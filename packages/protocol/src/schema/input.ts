import * as z from 'zod'
import { userName } from './access.ts'
import { clientId, messageId } from './ids.ts'
import { jsonText, leftAlone } from './redaction-marks.ts'

export const decision = z
  .enum(['approved', 'approvedForSession', 'approvedAlways', 'denied', 'abort'])
  .describe(
    '`approvedForSession`: approves also the calls that `forSession` of the approval describes, until the conversation is closed. `approvedAlways`: also adds the rule of `always` to policy.toml of the user. Every other value denies; `abort` also ends the turn.',
  )

export const sessionScope = z
  .literal('any')
  .describe(
    'With `approvedForSession`: it covers the calls that `any` of `forSession` describes, in place of the narrower `covers`.',
  )

export const answer = z
  .union([z.string(), z.number(), z.boolean(), z.array(z.string())])
  .describe('Value of one field; a list for `choices`.')

export const answers = z
  .record(z.string(), answer)
  .describe('Values by the name of the field; empty fields are left out.')

export type FieldAnswer = z.infer<typeof answer>
export type Answers = z.infer<typeof answers>
export type ApprovalDecision = z.infer<typeof decision>

export const sideFile = leftAlone(z.string(), 'sideFile').describe(
  '`sha256:<hex>` of a file beside the log; read it with `conversation/readFile`.',
)

const text = z.object({ type: z.literal('text'), text: z.string() }).describe('Text.')

export const inputItem = z
  .discriminatedUnion('type', [
    text,
    z
      .object({
        type: z.literal('image'),
        path: z.string().exactOptional().describe('Absolute path of a file that the server can read.'),
        url: z.string().exactOptional().describe('A `data:` URL in base64.'),
      })
      .describe(
        'A PNG, JPEG, GIF or WebP image of at most 10 MiB, or as much as the API of the model takes, by `path` or `url`. It is copied when it is sent.',
      ),
  ])
  .describe('One part of a user message, as a client sends it.')

export const storedImage = z
  .object({
    file: sideFile,
    mediaType: leftAlone(z.string(), 'word').describe('E.g. `image/png`.'),
    name: z.string().describe('Name of the file.'),
  })
  .describe('An image.')

export const contentItem = z
  .discriminatedUnion('type', [
    text.extend({
      file: sideFile
        .exactOptional()
        .describe(
          'Whole of a long text, as UTF-8; `text` is then its beginning. Read it with `conversation/readFile`.',
        ),
      totalBytes: z.int().min(0).exactOptional().describe('Bytes of `file`.'),
      totalLines: z.int().min(1).exactOptional().describe('Lines of `file`.'),
    }),
    storedImage.extend({ type: z.literal('image') }),
  ])
  .describe('One part of a user message, as it is stored.')

export const messageCall = z
  .object({ name: z.string().describe('Name of a tool.'), arguments: jsonText(z.string()) })
  .describe(
    'Call of a tool that a message makes, for a command or a skill that it names. It is judged, asked about and run as if the model had asked for it.',
  )

export const outputSchema = z
  .record(z.string(), z.unknown())
  .describe(
    'JSON Schema of the answer. The model is asked to follow it, and the final message is validated against it.',
  )

export const turnBudget = z
  .object({
    modelCalls: z.int().min(1).exactOptional().describe('Responses of the model.'),
    tokens: z.int().min(1).exactOptional().describe('Input and output together.'),
    costUsd: z.number().positive().exactOptional().describe('US dollars; rejected where the price is not known.'),
  })
  .describe(
    'Most that a turn may use. No further model call begins once one of these is used up: the turn then fails with `maxTurns`, `maxTokens` or `maxCost`.',
  )

export const limitName = z
  .enum(['modelCalls', 'tokens', 'costUsd', 'price'])
  .describe(
    'Limit of a conversation, from `[limits]` of the configuration. `price`: a call without a known price cannot be held to the limit of the cost.',
  )

export const missingKey = z
  .string()
  .min(1)
  .describe(
    'Provider without a key on the server that has the conversation, of several servers that share a store. Another server continues, or this one once it has the key.',
  )

export const turnPurpose = z
  .enum(['review'])
  .describe(
    '`review`: nothing is changed, whatever the settings permit, and the model is offered a tool for listing its findings.',
  )

export const turnChecks = z
  .object({
    commands: z.array(z.string().min(1).max(10_000)).min(1).max(10).describe('Command lines for the shell.'),
    rounds: z.int().min(0).max(100).describe('Number of times that the model may mend failed checks.'),
  })
  .describe(
    "Commands that run when the model has no more calls, judged and asked about like the model's own calls. The turn completes once all of them exit with 0. Failures go to the model, and the checks run again at its next end; after the last round the turn fails with `checksFailed`, at a denied check with `checkDenied`.",
  )

/** Fields of the turn that a message starts. */
export const turnOptions = {
  outputSchema: outputSchema.exactOptional().describe('Schema for the turn it starts; not with `steer`.'),
  budget: turnBudget.exactOptional().describe('Budget of the turn it starts; a running turn keeps its own.'),
  purpose: turnPurpose.exactOptional().describe('Purpose of the turn it starts; not with `steer`.'),
  checks: turnChecks.exactOptional().describe('Checks of the turn it starts; not with `steer`.'),
}

export const whyStopped = z
  .string()
  .min(1)
  .max(500)
  .describe("Reason for stopping the turn other than a user's interrupt, as a sentence for people and the model.")

export const actor = z
  .object({
    clientId: clientId.describe('Id of the connection.'),
    name: z.string(),
    title: z.string().exactOptional().describe('Name to show; unique among the clients connected at the time.'),
    user: userName.exactOptional().describe('User of its token, on a server with users.'),
  })
  .describe('The client a message or decision came from, as it named itself in `initialize`.')

export const queuedMessage = z
  .object({
    messageId: messageId.describe('`messageId` of `conversation/sendMessage`.'),
    when: z
      .enum(['queue', 'steer'])
      .describe('`steer` goes in after the current tool results, `queue` starts a turn of its own.'),
    content: z.array(contentItem),
    calls: z.array(messageCall).exactOptional().describe('Calls that it makes before the model is asked.'),
    ...turnOptions,
    by: actor,
  })
  .describe('A message that waits in the inbox.')

export type InputItem = z.infer<typeof inputItem>
export type ContentItem = z.infer<typeof contentItem>
export type MessageCall = z.infer<typeof messageCall>
export type TurnBudget = z.infer<typeof turnBudget>
export type LimitName = z.infer<typeof limitName>
export type TurnChecks = z.infer<typeof turnChecks>
export type TurnPurpose = z.infer<typeof turnPurpose>
export type OutputSchema = z.infer<typeof outputSchema>
export type Actor = z.infer<typeof actor>
export type QueuedMessage = z.infer<typeof queuedMessage>
