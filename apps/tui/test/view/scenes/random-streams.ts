import type { ConversationEvent, Item } from '@parley/protocol'
import fc from 'fast-check'
import {
  answer,
  command,
  completed,
  delta,
  ended,
  executionStarted,
  queued,
  read,
  requested,
  started,
  turnEnded,
  turnStarted,
  userMessage,
} from './conversation.ts'

/** Text as it comes from models: Markdown, wide and hostile characters, long lines. */
export const texts = fc.oneof(
  fc.constantFrom(
    '# Head\n\n',
    'a paragraph that goes on\n',
    '\n',
    '- item\n',
    '```js\n',
    'code()\n',
    '```\n',
    '| a | b |\n|---|---|\n| 1 | 2 |\n',
    '> quote\n',
    '漢字かな',
    '👩‍👩‍👧',
    '\u001b[31mred',
    '\u202e',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.string({ minLength: 100, maxLength: 200 }),
)

const chunks = fc.array(texts, { minLength: 1, maxLength: 12 })

/** Step of a turn, as the events an engine would record for it. `id` is its own. */
type Scene = (id: string) => readonly ConversationEvent[]

const message = chunks.map(
  (parts): Scene =>
    (id) => [
      started(answer('', id, 'inProgress')),
      ...parts.map((part) => delta(id, part)),
      completed(answer(parts.join(''), id)),
    ],
)

const lostMessage = chunks.map(
  (parts): Scene =>
    (id) => [
      started(answer('', id, 'inProgress')),
      ...parts.map((part) => delta(id, part)),
      { type: 'item.discarded', itemId: id, reason: 'cut' },
    ],
)

const commandRun = fc.tuple(texts, chunks).map(
  ([line, output]): Scene =>
    (id) => [
      started(command(line, { id })),
      executionStarted(id),
      ...output.map((part) => delta(id, part)),
      completed(ended(line, output.join(''), 0, { id })),
    ],
)

const approval = fc.tuple(texts, fc.boolean()).map(
  ([line, yes]): Scene =>
    (id) => [
      started(command(line, { id })),
      requested({ id: `a-${id}`, itemId: id, title: line, detail: line }),
      ...(yes
        ? [
            {
              type: 'approval.decided',
              approvalId: `a-${id}`,
              decision: 'approved',
              by: { clientId: 'x', name: 'x' },
            } as const,
            executionStarted(id),
          ]
        : []),
      completed(yes ? ended(line, '', 0, { id }) : command(line, { id, status: 'denied' })),
    ],
)

const small = fc.oneof(
  texts.map(
    (title): Scene =>
      (id) => [completed(read(title, id))],
  ),
  texts.map(
    (text): Scene =>
      (id) => [completed(userMessage(text, id))],
  ),
  texts.map(
    (text): Scene =>
      (id) => [queued(text, 'steer', id), { type: 'message.consumed', messageId: id }],
  ),
  texts.map(
    (title): Scene =>
      (id) => [completed(notice(title, id))],
  ),
)

function notice(title: string, id: string): Item {
  return { id, type: 'notice', status: 'completed', level: 'info', code: 'x', title, text: '' }
}

function stream(scenes: fc.Arbitrary<Scene>): fc.Arbitrary<readonly ConversationEvent[]> {
  return fc
    .array(scenes, { minLength: 1, maxLength: 8 })
    .map((list) => [turnStarted, ...list.flatMap((scene, index) => scene(`i${index}`)), turnEnded()])
}

/** Turns in which nothing is taken back. */
export const steadyStreams = stream(fc.oneof(message, commandRun, approval, small))

/** Turns in which connections are lost too. */
export const streams = stream(fc.oneof(message, lostMessage, commandRun, approval, small))
