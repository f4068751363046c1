import type { EventMsg } from './event-msg.ts'

type Kind = EventMsg['type']

/** Pieces of what a later message carries whole. */
const deltas: ReadonlySet<Kind> = new Set(['agent_message_delta', 'agent_reasoning_delta', 'exec_command_output_delta'])

/** What a client of a whole conversation is not told: its own words, counts, and remarks on the work. */
const chatter: ReadonlySet<Kind> = new Set(['token_count', 'user_message', 'background_event'])

export function isDelta({ type }: EventMsg): boolean {
  return deltas.has(type)
}

/** Whether it belongs to the stream of a whole conversation: a plain turn is its start, its answer and its end. */
export function isStreamed({ type }: EventMsg): boolean {
  return !chatter.has(type)
}
