import type { ConversationEvent, ConversationSummary, Item } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { RunEnd } from '../../../../src/cli/run-ended.ts'
import { stoppedRun } from '../../../../src/scripted/end/run-end.ts'
import { StoppedError } from '../../../../src/scripted/end/stopper.ts'
import { createCodexReporter } from '../../../../src/scripted/reports/codex/codex-reporter.ts'
import {
  command,
  completed,
  delta,
  envelopes,
  executionStarted,
  message,
  runEnd,
  shown,
  started,
} from '../report-events.ts'

const turnStarted: ConversationEvent = { type: 'turn.started', turnId: 't-1', trigger: 'message' }
const plan = (...done: readonly boolean[]): ConversationEvent => ({
  type: 'plan.updated',
  plan: { steps: done.map((isDone, at) => ({ step: `step ${at}`, status: isDone ? 'completed' : 'pending' })) },
})

function record() {
  const lines: string[] = []
  const stderr: string[] = []
  const reporter = createCodexReporter({
    stdout: { line: (text) => void lines.push(text) },
    stderr: { write: (text) => void stderr.push(text) },
    now: () => 1000,
  })
  const play = (...events: readonly ConversationEvent[]) => {
    for (const envelope of envelopes(...events)) reporter.event(envelope)
  }
  return { reporter, play, stderr, events: () => lines.map((line) => JSON.parse(line)) }
}

/** Lines between `turn.started` and the last one. */
function itemsOf(events: readonly ConversationEvent[], end: Partial<RunEnd> = {}) {
  const { reporter, play, events: lines } = record()
  play(turnStarted, ...events)
  reporter.end(runEnd(end))
  return lines().slice(2, end.exitCode === undefined ? -1 : -2)
}

function toolCall(more: Partial<Extract<Item, { type: 'toolCall' }>>): Item {
  return { ...shown('i-1', 'call'), type: 'toolCall', tool: 'search', input: '{"for":"x"}', ...more }
}

describe('for the Codex SDK', () => {
  test('what is said before the turn comes after the line of the thread', () => {
    const { reporter, play, events } = record()
    reporter.problem('unknown key')
    play(turnStarted, completed(message('i-1', 'Hi.')))
    reporter.problem('late')
    expect(events()).toEqual([
      { type: 'thread.started', thread_id: 'c-12345678' },
      { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'unknown key' } },
      { type: 'turn.started' },
      { type: 'item.completed', item: { id: 'item_1', type: 'agent_message', text: 'Hi.' } },
      { type: 'item.completed', item: { id: 'item_2', type: 'error', message: 'late' } },
    ])
  })

  test('an older turn that is closed first is no part of it', () => {
    const { reporter, play, events } = record()
    play(completed(message('i-0', 'old')), turnStarted, completed(message('i-1', 'new')))
    reporter.problem('late')
    expect(events().slice(2)).toMatchObject([{ item: { text: 'new' } }, { item: { message: 'late' } }])
  })

  test('a second turn that repairs the answer belongs to the first', () => {
    const { play, events } = record()
    play(turnStarted, turnStarted)
    expect(events().map(({ type }) => type)).toEqual(['thread.started', 'turn.started'])
  })

  test('text that streams and thoughts without words have no line', () => {
    const thought: Item = { ...shown('i-1', ''), type: 'reasoning', text: ' ' }
    expect(itemsOf([started(thought), delta('i-1', ' '), completed(thought)])).toEqual([])
  })

  test('a plan is a list that ends with the turn', () => {
    const last = { id: 'item_0', type: 'todo_list' }
    const seen = itemsOf([plan(false, false), plan(true, false), completed(message('i-1', 'Done.'))])
    expect(seen).toMatchObject([
      { type: 'item.started', item: { ...last, items: [{ completed: false }, { text: 'step 1', completed: false }] } },
      { type: 'item.updated', item: { ...last, items: [{ completed: true }, { completed: false }] } },
      { type: 'item.completed', item: { id: 'item_1' } },
      { type: 'item.completed', item: { ...last, items: [{ completed: true }, { completed: false }] } },
    ])
    expect(itemsOf([completed(toolCall({ tool: 'update_plan', status: 'completed' }))])).toEqual([])
  })

  test('a tool of an MCP server has its names, arguments and result', () => {
    const tool = 'mcp__my_files__read'
    const facts = { kind: 'mcp', server: 'my files', name: 'read' }
    const done = toolCall({ tool, facts, status: 'completed', modelText: 'text' })
    expect(itemsOf([started(toolCall({ tool, facts })), executionStarted('i-1'), completed(done)])).toEqual([
      {
        type: 'item.started',
        item: {
          id: 'item_0',
          type: 'mcp_tool_call',
          server: 'my files',
          tool: 'read',
          arguments: { for: 'x' },
          result: null,
          error: null,
          status: 'in_progress',
        },
      },
      {
        type: 'item.completed',
        item: {
          id: 'item_0',
          type: 'mcp_tool_call',
          server: 'my files',
          tool: 'read',
          arguments: { for: 'x' },
          result: { content: [{ type: 'text', text: 'text' }], structured_content: null },
          error: null,
          status: 'completed',
        },
      },
    ])
  })

  test('a tool that failed says why, and our own stand under our name', () => {
    const failed = toolCall({ status: 'failed', modelText: 'long', failure: { code: 'x', message: 'No such place.' } })
    expect(itemsOf([completed(failed)])).toMatchObject([
      {
        item: {
          server: 'parley',
          tool: 'search',
          result: null,
          error: { message: 'No such place.' },
          status: 'failed',
        },
      },
    ])
    const early = toolCall({ tool: 'mcp__git__log_all', status: 'failed', input: 'no json' })
    expect(itemsOf([completed(early)])).toMatchObject([
      { item: { server: 'git', tool: 'log_all', arguments: 'no json' } },
    ])
  })

  test('a command that was not allowed was never started', () => {
    expect(itemsOf([started(command('i-1', 'rm x')), completed(command('i-1', 'rm x', { status: 'denied' }))])).toEqual(
      [
        {
          type: 'item.completed',
          item: {
            id: 'item_0',
            type: 'command_execution',
            command: "bash -c 'rm x'",
            aggregated_output: '',
            exit_code: null,
            status: 'declined',
          },
        },
      ],
    )
  })

  test('of a long output there are both ends, and how much is between', () => {
    const output = { head: 'begin', tail: 'end', totalBytes: 1008, omittedBytes: 1000 }
    const [{ item }] = itemsOf([completed(command('i-1', 'x', { status: 'completed', exitCode: 0, output }))])
    expect(item.aggregated_output).toBe('begin\n[… 1000 of 1008 bytes left out …]\nend')
  })

  test('a warning in the transcript is an item, the reason of the end is not', () => {
    const notice = (level: 'warning' | 'error'): Item => ({
      ...shown('i-1', 'Cut short.'),
      type: 'notice',
      status: 'completed',
      level,
      code: 'length',
    })
    expect(itemsOf([completed(notice('error')), completed(notice('warning'))])).toEqual([
      { type: 'item.completed', item: { id: 'item_0', type: 'error', message: 'Cut short.' } },
    ])
  })

  test.each<[string, Partial<RunEnd>, string]>([
    ['a failure', { exitCode: 8, failure: { code: 'unreachable', message: 'Nobody there.' } }, 'Nobody there.'],
    ['a signal', stoppedRun(new StoppedError(130), 'c-12345678'), 'Interrupted by SIGINT.'],
    ['silence', { exitCode: 1 }, 'The turn ended without an answer.'],
    [
      'a no',
      { exitCode: 4, denials: [{ itemId: 'i', title: 't', reason: 'r' }] },
      'The turn ended without an answer. 1 request was not allowed. Ways out: rules in a --policy file (ordinary commands, unless the approval policy is never), -c sandbox_workspace_write.network_access=true (the network), -s danger-full-access -a never (no limits but rules that deny).',
    ],
  ])('%s is the message of the last line and of stderr', (_name, end, words) => {
    const { reporter, events, stderr } = record()
    reporter.end(runEnd(end))
    expect(events()).toEqual([
      { type: 'error', message: words },
      { type: 'turn.failed', error: { message: words } },
    ])
    expect(stderr.join('')).toBe(`parley: ${words}\n`)
  })

  test('files of a patch have absolute paths', () => {
    const { reporter, play, events } = record()
    const opened: Pick<ConversationSummary, 'cwd'> = { cwd: '/w' }
    reporter.opened?.(opened)
    const changes = [
      { path: 'a/b.txt', kind: 'update' as const, additions: 1, deletions: 0, diff: '', before: '', after: '' },
    ]
    const patch: Item = { ...shown('i-1', ''), type: 'fileChange', status: 'failed', tool: 'x', changes, patchHash: '' }
    play(turnStarted, completed(patch))
    expect(events().at(-1)).toEqual({
      type: 'item.completed',
      item: { id: 'item_0', type: 'file_change', changes: [{ path: '/w/a/b.txt', kind: 'update' }], status: 'failed' },
    })
  })
})
