import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { anthropicFrames } from './wires/anthropic-wire.ts'
import { chatFrames } from './wires/chat-wire.ts'
import { geminiFrames } from './wires/gemini-wire.ts'
import { responsesFrames } from './wires/responses-wire.ts'
import type { AnswerStep, Delivery, RecordedRequest, ReplyStep, StatusStep, Wire } from './wires/scripted-step.ts'

/** Answers a request with one step. Returns early when the client has disconnected. */
export async function sendStep(step: ReplyStep, request: RecordedRequest, response: ServerResponse): Promise<void> {
  await step.gate
  if (response.destroyed) return
  if ('status' in step) return sendStatus(step, response)
  if ('hang' in step && step.hang === 'headers') return
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
  if ('raw' in step) return sendFrames([step.raw], step, response)
  const answer = frames[request.wire](step, request.number)
  if (!('hang' in step)) return sendFrames(answer, step, response)
  await writeFrames(answer.slice(0, Math.ceil(answer.length / 2)), step, response)
}

const frames: Readonly<Record<Wire, (step: AnswerStep, requestNumber: number) => string[]>> = {
  responses: responsesFrames,
  chat: chatFrames,
  anthropic: anthropicFrames,
  gemini: geminiFrames,
}

function sendStatus(step: StatusStep, response: ServerResponse): void {
  const text = typeof step.body === 'string' ? step.body : JSON.stringify(step.body ?? defaultError(step.status))
  response.writeHead(step.status, { 'content-type': 'application/json', ...step.headers })
  response.end(text)
}

function defaultError(status: number): object {
  return { error: { message: `scripted failure ${status}`, type: 'scripted', code: `scripted_${status}` } }
}

async function sendFrames(
  frames: readonly (string | Uint8Array)[],
  delivery: Delivery,
  response: ServerResponse,
): Promise<void> {
  const cut = await writeFrames(frames, delivery, response)
  if (cut) response.destroy()
  else response.end()
}

/** Writes the frames. Resolves to true when `cutAfterBytes` was reached. */
async function writeFrames(
  frames: readonly (string | Uint8Array)[],
  delivery: Delivery,
  response: ServerResponse,
): Promise<boolean> {
  let left = delivery.cutAfterBytes ?? Number.POSITIVE_INFINITY
  for (const [index, frame] of frames.entries()) {
    await delivery.beforeFrame?.(index)
    if (delivery.delayMs !== undefined && index > 0) await delay(delivery.delayMs)
    if (response.destroyed) return false
    const bytes = Buffer.from(frame).subarray(0, left)
    left -= bytes.length
    // Waits for the flush before a cut, because destroying the socket discards queued bytes.
    if (left <= 0) await new Promise((resolve) => response.write(bytes, resolve))
    else if (!response.write(bytes)) await drainOrClose(response)
    if (left <= 0) return true
  }
  return false
}

async function drainOrClose(response: ServerResponse): Promise<void> {
  const over = new AbortController()
  try {
    await Promise.race(['drain', 'close'].map((event) => once(response, event, { signal: over.signal })))
  } finally {
    over.abort()
  }
}
