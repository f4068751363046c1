import { z } from 'zod'
import { approval } from './approval.ts'
import { plan, turnOutcome } from './event.ts'
import { queuedMessage } from './input.ts'
import { item, sideFile } from './item.ts'
import { settings } from './settings.ts'
import { failure, tokenCounts } from './usage.ts'

export const openItem = z
  .object({
    item,
    turnId: z.string().nullable(),
    output: z.string().describe('Output deltas so far, for calls; at most 64 KiB.'),
    progress: z.object({ totalBytes: z.int(), tail: z.string() }).nullable(),
    began: z.boolean().describe('`item.began` is in the log: it may have happened.'),
  })
  .describe('An item that is not finished.')

export const completedItem = z.object({ seq: z.int(), at: z.number(), turnId: z.string().nullable(), item })

export const turn = z.object({
  id: z.string(),
  startedAt: z.number(),
  phase: z
    .enum(['start', 'model', 'calls'])
    .describe('`model`: a response is awaited. `calls`: the response is complete, its calls run.'),
  modelCalls: z.int(),
  calls: z.int().describe('Calls of the newest response.'),
  parked: z.boolean(),
  retry: z.object({ retryAt: z.number(), attempt: z.int(), failure }).nullable(),
  usage: tokenCounts,
  denials: z.array(z.object({ itemId: z.string(), title: z.string(), reason: z.string() })),
})

export const requestResult = z.object({
  key: z.string(),
  seq: z.int(),
  turnId: z.string().nullable(),
  disposition: z.enum(['started', 'queued', 'steering']),
})

export const core = z
  .object({
    seq: z.int(),
    meta: z.object({
      conversationId: z.string(),
      cwd: z.string(),
      createdAt: z.number(),
      updatedAt: z.number(),
      title: z.string(),
      name: z.string().nullable(),
      archived: z.boolean(),
      forkedFrom: z.object({ id: z.string(), seq: z.int() }).nullable(),
    }),
    settings,
    context: z
      .object({
        instructions: sideFile,
        tools: sideFile,
        environment: sideFile,
        adapter: z.string(),
        instructionFiles: z.array(z.string()),
      })
      .nullable(),
    turn: turn.nullable().describe('Running or parked.'),
    lastTurn: z
      .object({
        id: z.string(),
        outcome: turnOutcome,
        failure: failure.nullable(),
        usage: tokenCounts,
        endedAt: z.number(),
      })
      .nullable(),
    open: z.record(z.string(), openItem),
    approvals: z.record(z.string(), approval),
    inbox: z.array(queuedMessage),
    inboxPaused: z.boolean().describe('After an interrupt or a restart nothing in the inbox is sent by itself.'),
    plan: plan.nullable(),
    usage: z.object({ total: tokenCounts, last: tokenCounts.nullable(), contextWindow: z.int().nullable() }),
    counts: z.object({ turns: z.int(), items: z.int() }),
    digest: z.string().describe('Chained over completed items.'),
    requestKeys: z.array(requestResult).describe('Newest 1,000.'),
  })
  .describe('All of a conversation but its finished items.')

export const conversationState = z.object({
  core,
  window: z
    .array(completedItem)
    .describe('The newest completed items, at most 200; older ones by `conversation/read`.'),
})

export const cursor = z
  .object({ seq: z.int().min(0), crc: z.string().nullable() })
  .describe('The last event folded; crc null for none or when the line has none.')

export type OpenItem = z.infer<typeof openItem>
export type CompletedItem = z.infer<typeof completedItem>
export type Turn = z.infer<typeof turn>
export type RequestResult = z.infer<typeof requestResult>
export type Core = z.infer<typeof core>
export type ConversationState = z.infer<typeof conversationState>
export type Cursor = z.infer<typeof cursor>
