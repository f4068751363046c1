import { lineText } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import type { ConversationEvent, ConversationState, Item } from '@parley/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { caretPosition, liveRows } from '../../../src/view/live-zone.ts'
import { renderMarkdown } from '../../../src/view/markdown/render.ts'
import { emptyTranscript, openTranscript, type Transcript } from '../../../src/view/transcript/transcript.ts'
import {
  after,
  answer,
  colleague,
  completed,
  delta,
  me,
  started,
  states,
  turnStarted,
  userMessage,
} from '../scenes/conversation.ts'
import { steadyStreams, streams, texts } from '../scenes/random-streams.ts'
import { sceneOf, settledRows, written } from '../scenes/scene.ts'

/** Everything that a terminal of this width would hold above the live zone, after painting these states in turn. */
function printed(shown: Iterable<ConversationState>, columns = 60): readonly string[] {
  const rows: string[] = []
  let transcript: Transcript = emptyTranscript
  for (const state of shown) {
    const projected = layoutScreen({ ...sceneOf(state), size: { columns, rows: 24 }, transcript })
    transcript = projected.transcript
    // The time of a turn is known to a window that has seen it run.
    rows.push(...settledRows({ settled: projected.screen.settled.filter(({ kind }) => kind !== 'ending') }))
  }
  return rows
}

/** The states that a client happens to paint: some are passed over, the last never. */
function seen(events: readonly ConversationEvent[], picks: readonly boolean[]): readonly ConversationState[] {
  const all = [...states(events)]
  return all.filter((_, index) => index === all.length - 1 || picks[index % picks.length] === true)
}

const picks = fc.array(fc.boolean(), { minLength: 1, maxLength: 20 })

describe('settled text', () => {
  test('is the same whichever states were painted on the way', () => {
    fc.assert(
      fc.property(steadyStreams, picks, (events, chosen) => {
        expect(printed(seen(events, chosen))).toEqual(printed([after(...events)]))
      }),
      { numRuns: 60 },
    )
  })

  test('of a message is that of the whole message, however it was cut', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 20 }), (parts) => {
        const events = [
          turnStarted,
          started(answer('', 'm', 'inProgress')),
          ...parts.map((part) => delta('m', part)),
          completed(answer(parts.join(''), 'm')),
        ]
        const whole = renderMarkdown(parts.join(''), { columns: 60 }).map((line) => lineText(line).trimEnd())
        expect(printed(states(events))).toEqual(whole)
      }),
      { numRuns: 60 },
    )
  })

  test('holds every user message once, also when answers are lost on the way', () => {
    fc.assert(
      fc.property(streams, picks, (events, chosen) => {
        const marked = events.map((event, index) =>
          event.type === 'item.completed' && event.item.type === 'userMessage'
            ? { ...event, item: { ...event.item, text: `mark-${index}` } }
            : event,
        )
        const rows = printed(seen(marked, chosen))
        const marks = marked.flatMap((event) =>
          event.type === 'item.completed' && event.item.type === 'userMessage' ? [`▌ ${event.item.text}`] : [],
        )
        expect(rows.filter((row) => row.startsWith('▌ mark-'))).toEqual(marks)
      }),
      { numRuns: 60 },
    )
  })

  test('of a lost answer stays, and one line says that it is not kept', () => {
    const events = [
      turnStarted,
      started(answer('', 'm', 'inProgress')),
      delta('m', 'First.\n\nSecond'),
      { type: 'item.discarded', itemId: 'm', reason: 'cut' } as const,
      completed(answer('Whole.', 'n')),
    ]
    expect(printed(states(events))).toEqual(['First.', '', '  connection lost, this answer is not kept', '', 'Whole.'])
  })

  test("names the author of another client's new message, but not of earlier ones", () => {
    const theirs: Item = { ...userMessage('go'), by: colleague }
    const before = after(completed(theirs))
    const transcript = openTranscript(emptyTranscript, before, { columns: 60 }, 100)
    const now = after(completed(theirs), completed({ ...theirs, id: 'u2' }), completed({ ...theirs, id: 'u3', by: me }))
    const { screen } = layoutScreen({ ...sceneOf(now), transcript })
    expect(settledRows(screen)).toEqual(['▌ go', '', '▌ go', '  from editor', '', '▌ go'])
  })

  test('says who typed into a command, if it was another client', () => {
    const typed = (by: typeof me): Item => ({
      id: `i-${by.clientId}`,
      type: 'notice',
      status: 'completed',
      level: 'info',
      code: 'backgroundTyped',
      title: 'Typed into psql',
      text: 'select 1\n',
      typed: 'i-1',
      by,
    })
    const rows = printed([after(), after(completed(typed(me)), completed(typed(colleague)))])
    expect(rows).toEqual(['  Typed into psql: select 1', '  Typed into psql: select 1', '  from editor'])
  })

  test.each([
    ['finished', 'completed', '✓'],
    ['unfinished', 'inProgress', '▸'],
  ] as const)('prints a %s plan when a conversation is opened', (_, status, mark) => {
    const steps = [{ step: 'Look', status }]
    const state = after(completed(userMessage('go')), { type: 'plan.updated', plan: { steps } })
    const transcript = openTranscript(emptyTranscript, state, { columns: 60 }, 100)
    const { screen } = layoutScreen({ ...sceneOf(state), transcript })
    expect(settledRows(screen)).toEqual(['▌ go', '', `  ${mark} Look`])
  })

  test('does not print a finished plan twice when a copy is opened below its original', () => {
    const plan = { steps: [{ step: 'Look', status: 'completed' as const }] }
    const state = after(completed(userMessage('go')), { type: 'plan.updated', plan })
    const transcript = openTranscript(emptyTranscript, state, { columns: 60 }, 0)
    expect(settledRows(layoutScreen({ ...sceneOf(state), transcript }).screen)).toEqual([])
  })

  test('counts the items that came between two frames and are no longer kept', () => {
    const items = Array.from({ length: 230 }, (_, index) => completed(answer(`item ${index}`, `m${index}`)))
    const rows = printed([after(turnStarted), after(turnStarted, ...items)])
    expect(rows.slice(0, 3)).toEqual(['  … 30 items are not shown here (Ctrl+T)', '', 'item 30'])
  })
})

describe('the live zone', () => {
  const sizes = fc.record({ columns: fc.integer({ min: 1, max: 140 }), rows: fc.integer({ min: 1, max: 60 }) })

  test('is never taller than the screen minus two rows, nor wider than it, and the caret is inside', () => {
    fc.assert(
      fc.property(
        streams,
        sizes,
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        picks,
        (events, size, text, chosen) => {
          for (const state of seen(events, chosen)) {
            const { live, caret: at } = layoutScreen({
              ...sceneOf(state, { composing: { composer: written(text.replace(/[\u0000-\u001f]/g, '\n')) } }),
              size,
            }).screen
            const rows = liveRows(live)
            const caret = caretPosition(live, at)
            expect(rows.length).toBeLessThanOrEqual(Math.max(1, size.rows - 2))
            for (const line of rows) expect(cellWidth(lineText(line))).toBeLessThanOrEqual(Math.max(2, size.columns))
            if (caret === null) continue
            expect(caret.row).toBeLessThan(rows.length)
            expect(caret.column).toBeLessThan(size.columns)
          }
        },
      ),
      { numRuns: 80 },
    )
  })
})
