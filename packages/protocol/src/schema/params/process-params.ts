import * as z from 'zod'
import { type conversationId as anyConversationId, itemId, turnId } from '../ids.ts'
import { whyStopped } from '../input.ts'

const conversationId: typeof anyConversationId = z.string().min(1).describe('Full id.')

const port = z.int().min(1).max(65_535).describe('Port that a sandboxed command listens on.')

const ofProcess = {
  conversationId,
  itemId: itemId.describe(
    'A command that runs in the background, one of the last 32 that ended there, or one of the user.',
  ),
}

/** Parameters of methods about the processes of a conversation, without schemas of results. */
export const processParams = {
  'conversation/interrupt': z.object({
    conversationId,
    turnId: turnId.exactOptional().describe('Only this turn; another one running is -32006.'),
    why: whyStopped.exactOptional(),
    shell: z
      .literal(true)
      .exactOptional()
      .describe("Only the user's own commands, or with `itemId` one in the background; a turn goes on."),
    itemId: itemId
      .exactOptional()
      .describe("With `shell`: only the command of this item, the user's own or one that runs in the background."),
  }),
  'conversation/background': z.object({
    conversationId,
    itemId: itemId.describe('A `commandExecution` that runs.'),
  }),
  'conversation/process/read': z.object({
    ...ofProcess,
    tail: z.int().min(1).max(1000).exactOptional().describe('Newest lines at most; default 50.'),
    search: z
      .string()
      .min(1)
      .exactOptional()
      .describe(
        'Only lines with this, the newest 100: text within one line, `*` is any text, `|` stands between alternatives, `\\` takes the next sign as it is.',
      ),
    changedFrom: z
      .int()
      .min(0)
      .exactOptional()
      .describe('`totalBytes` of the last answer: with `waitMs`, the answer waits for more than that.'),
    waitMs: z.int().min(0).max(10_000).exactOptional().describe('Longest wait for more output or the end; default 0.'),
  }),
  'conversation/process/tellWhen': z.object({
    ...ofProcess,
    pattern: z
      .string()
      .min(1)
      .describe('Text of a line that is waited for, written as `search` of `conversation/process/read`.'),
  }),
  'conversation/process/write': z.object({
    conversationId,
    itemId: itemId.describe('A command that runs in the background and takes input.'),
    text: z
      .string()
      .max(16 * 1024)
      .exactOptional()
      .describe('Text to type; default no text.'),
    enter: z.boolean().exactOptional().describe('False to write the text without a line end after it; default true.'),
    hidden: z
      .literal(true)
      .exactOptional()
      .describe(
        'The text is secret, such as a password: the log has a mark in its place, and it is hidden in outputs.',
      ),
    close: z.literal(true).exactOptional().describe('Ends a piped input after the text.'),
    size: z
      .object({ rows: z.int().min(1).max(500), cols: z.int().min(1).max(1000) })
      .exactOptional()
      .describe('New size of its terminal, set before the text; ignored without a terminal.'),
  }),
  'conversation/forward': z.object({ conversationId, port }),
  'conversation/forward/stop': z.object({ conversationId, port }),
} as const
