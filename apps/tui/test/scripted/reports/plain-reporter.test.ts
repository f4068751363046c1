import type { ConversationEvent } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import type { RunEnd } from '../../../src/cli/run-ended.ts'
import { createPlainReporter } from '../../../src/scripted/reports/reporter.ts'
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
} from './report-events.ts'

interface Played {
  readonly end?: Partial<RunEnd>
  readonly onTerminal?: { stdout: boolean; stderr: boolean }
  readonly isKept?: boolean
  readonly repeated?: string
}

function play(events: readonly ConversationEvent[], { end, onTerminal, isKept = true, repeated = '' }: Played = {}) {
  const stdout: string[] = []
  const stderr: string[] = []
  const reporter = createPlainReporter({
    stdout: { line: (text) => void stdout.push(`${text}\n`) },
    stderr: { write: (text) => void stderr.push(text) },
    onTerminal: onTerminal ?? { stdout: false, stderr: false },
    isKept,
    isReview: false,
    repeated,
    server: '',
    now: () => 1000,
  })
  for (const envelope of envelopes(...events)) reporter.event(envelope)
  if (end !== undefined) reporter.end(runEnd(end))
  return { stdout: stdout.join(''), stderr: stderr.join('') }
}

const decision = {
  verdict: 'deny' as const,
  reason: 'no deleting',
  rule: { name: 'rule:rm', file: '/p.toml', line: 6 },
}
const patch = {
  ...shown('i-1', 'Patch a.txt'),
  type: 'fileChange' as const,
  status: 'completed' as const,
  tool: 'apply_patch',
  changes: [],
  patchHash: '',
}

describe('stdout', () => {
  test('has the final message alone, at the end', () => {
    const events = [delta('i-1', 'Look'), completed(message('i-1', 'Looking')), completed(message('i-2', 'Done'))]
    expect(play(events)).toEqual({ stdout: '', stderr: 'Looking\nDone\n' })
    expect(play(events, { end: { answer: 'Done\n\n' } }).stdout).toBe('Done\n')
  })

  test('has it exactly as the model wrote it when it is a file or a pipe', () => {
    expect(play([], { end: { answer: 'a \x1b[31mred' } }).stdout).toBe('a \x1b[31mred\n')
  })

  test('has it without effects when it is a terminal', () => {
    const onTerminal = { stdout: true, stderr: false }
    expect(play([], { end: { answer: 'a \x1b[31mred' }, onTerminal }).stdout).toBe('a red\n')
  })

  test('stays empty when it and stderr are the terminal that showed the message already', () => {
    const events = [completed(message('i-1', 'Done'))]
    const played = play(events, { end: { answer: 'Done' }, onTerminal: { stdout: true, stderr: true } })
    expect(played).toEqual({ stdout: '', stderr: 'Done\n' })
  })
})

describe('stderr shows a call', () => {
  test('with what hides in it, as a question would', () => {
    const title = `echo \u202egnp.exe${' '.repeat(200)}; rm x`
    const { stderr } = play([completed({ ...patch, title }), completed(command('i-2', title))])
    expect(stderr).toMatch(
      /^± echo <U\+202E>gnp.exe ⟨200 spaces⟩ ; rm x\n\$ echo <U\+202E>gnp.exe ⟨200 spaces⟩ ; rm x →/,
    )
  })
})

describe('stderr shows a message', () => {
  test('as it streams, and at its end what no delta brought', () => {
    const open = started({ ...message('i-1', ''), status: 'inProgress' })
    expect(play([open, delta('i-1', 'Hel'), delta('i-1', 'lo')]).stderr).toBe('Hello')
    expect(play([open, delta('i-1', 'Hel'), completed(message('i-1', 'Hello'))]).stderr).toBe('Hello\n')
  })

  test('apart from the thoughts before it', () => {
    const thought = { ...shown('i-1', 'Thinking'), type: 'reasoning' as const }
    const events = [
      started(thought),
      delta('i-1', 'Hm.'),
      completed({ ...thought, text: 'Hm.' }),
      completed(message('i-2', 'Yes')),
    ]
    expect(play(events).stderr).toBe('· thinking\nHm.\nYes\n')
  })

  test('and says that it starts again when its stream was cut', () => {
    const events: ConversationEvent[] = [delta('i-1', 'Hel'), { type: 'item.discarded', itemId: 'i-1', reason: 'cut' }]
    expect(play(events).stderr).toBe('Hel\n· the connection was lost; the answer starts again\n')
  })

  test('without effects on the terminal', () => {
    expect(play([completed(message('i-1', '\x1b]0;title\x07a\x1b[2Jb'))]).stderr).toBe('ab\n')
  })
})

describe('stderr shows a command', () => {
  test('above its output, and how it ended below', () => {
    const ended = command('i-1', 'npm test', { status: 'failed', exitCode: 1, durationMs: 1234 })
    const events = [
      started(command('i-1', 'npm test')),
      executionStarted('i-1'),
      delta('i-1', 'one\n'),
      completed(ended),
    ]
    expect(play(events).stderr).toBe('$ npm test\none\n→ exit 1 after 1.2 s\n')
  })

  test('again when two of them speak at once', () => {
    const commands = [command('i-1', 'a'), command('i-2', 'b')]
    const ended = commands.map((one) => completed({ ...one, status: 'completed', exitCode: 0 }))
    const events = [
      ...commands.map(started),
      executionStarted('i-1'),
      delta('i-1', '1\n'),
      executionStarted('i-2'),
      delta('i-2', '2\n'),
    ]
    expect(play([...events, delta('i-1', '3\n'), ...ended]).stderr).toBe(
      '$ a\n1\n$ b\n2\n$ a (more)\n3\n→ exit 0\n$ b → exit 0\n',
    )
  })

  test.each([
    ['none', 'outside the sandbox'],
    ['workspace-write', 'with network'],
  ] as const)('that ran with more than the sandbox gives (%s), whatever allowed it', (sandbox, words) => {
    const rights = { ...decision, verdict: 'allow', limits: { sandbox, network: true } } as const
    const ended = command('i-1', 'x', { status: 'completed', exitCode: 0, durationMs: 40, decision: rights })
    expect(play([started(command('i-1', 'x')), executionStarted('i-1'), completed(ended)]).stderr).toBe(
      `$ x\n→ exit 0 after 40 ms, ${words}\n`,
    )
  })

  test('that a signal ended', () => {
    const ended = command('i-1', 'x', { status: 'failed', exitCode: null, signal: 'SIGKILL', durationMs: 40 })
    expect(play([started(command('i-1', 'x')), executionStarted('i-1'), completed(ended)]).stderr).toBe(
      '$ x\n→ killed by SIGKILL after 40 ms\n',
    )
  })

  test('that a signal ended inside the sandbox', () => {
    const ended = command('i-1', 'x', { status: 'failed', exitCode: 139, durationMs: 40 })
    expect(play([started(command('i-1', 'x')), executionStarted('i-1'), completed(ended)]).stderr).toBe(
      '$ x\n→ exit 139 (SIGSEGV) after 40 ms\n',
    )
  })

  test('that its time limit ended, by a signal', () => {
    const failure = { code: 'timedOut', message: 'stopped' }
    const timedOut = { status: 'failed', exitCode: null, signal: 'SIGTERM', durationMs: 40, failure } as const
    const ended = command('i-1', 'x', timedOut)
    expect(play([started(command('i-1', 'x')), executionStarted('i-1'), completed(ended)]).stderr).toBe(
      '$ x\n→ stopped at its time limit after 40 ms\n',
    )
  })

  test('that was not run, with the rule that forbids it', () => {
    const denied = command('i-1', 'rm x', { status: 'denied', decision })
    expect(play([started(command('i-1', 'rm x')), completed(denied)]).stderr).toBe(
      '$ rm x → not run: no deleting [rule:rm, /p.toml:6]\n',
    )
  })

  test('that was not run because nobody could be asked', () => {
    const asked = { verdict: 'ask' as const, reason: 'not known to be safe', rule: { name: 'builtin:ask' } }
    const denied = command('i-1', 'rm x', { status: 'denied', decision: asked })
    expect(play([completed(denied)]).stderr).toBe(
      '$ rm x → not run: nobody to ask; not known to be safe [builtin:ask]\n',
    )
  })
})

describe('stderr has one line', () => {
  test('for a patch', () => {
    expect(play([completed(patch)]).stderr).toBe('± Patch a.txt\n')
  })

  test('for a patch that did not apply, with the first line of the reason', () => {
    const failure = { code: 'patchFailed', message: 'Failed to find the lines in a.txt:\nthree' }
    expect(play([completed({ ...patch, status: 'failed', failure })]).stderr).toBe(
      '± Patch a.txt → failed: Failed to find the lines in a.txt\n',
    )
  })

  test('for a look-up', () => {
    const look = { ...shown('i-1', 'Read a.txt'), type: 'toolCall' as const, tool: 'read_file', input: '{}' }
    expect(play([completed({ ...look, status: 'completed' })]).stderr).toBe('· Read a.txt\n')
  })

  test('for a retry, with the wait', () => {
    const failure = { code: 'rateLimited', message: 'Slow down' }
    const retry = { type: 'retry.scheduled' as const, turnId: 't-1', retryAt: 3200, attempt: 2, failure }
    expect(play([retry]).stderr).toBe('· Slow down. Trying again in 2.2 s (attempt 2).\n')
  })

  test('for a notice, by its weight', () => {
    const notice = {
      ...shown('i-1', 'The model is gone.'),
      type: 'notice' as const,
      code: 'x',
      level: 'error' as const,
    }
    expect(play([completed(notice)]).stderr).toBe('! The model is gone.\n')
    expect(play([completed({ ...notice, level: 'info' })]).stderr).toBe('· The model is gone.\n')
  })

  test('and never begins it behind streamed text', () => {
    const events = [delta('i-1', 'half'), completed({ ...patch, status: 'completed' })]
    expect(play(events).stderr).toBe('half\n± Patch a.txt\n')
  })

  test.each<ConversationEvent>([
    { type: 'turn.started', turnId: 't-1', trigger: 'message' },
    completed({ ...shown('i-1', 'hi'), type: 'userMessage', status: 'completed', content: [] }),
  ])('but none for what tells a person nothing: $type', (event) => {
    expect(play([event]).stderr).toBe('')
  })
})

describe('the last words', () => {
  const words = (end: Partial<RunEnd>, isKept = true) => play([], { end, isKept }).stderr
  const goOn = 'parley: The conversation is saved. Go on with: parley exec resume 12345678 "…"\n'
  const denials = [{ itemId: 'i-1', title: 'rm x', reason: 'no' }]

  test('of a run that answered are none', () => {
    expect(words({ answer: 'yes' })).toBe('')
  })

  test('count what was not allowed, also after an answer', () => {
    const line =
      'parley: 1 request was not allowed. Ways out: rules in a --policy file (ordinary commands, unless the approval policy is never),' +
      ' -c sandbox_workspace_write.network_access=true (the network), -s danger-full-access -a never (no limits but rules that deny).\n'
    expect(words({ answer: 'yes', denials })).toBe(line)
    expect(words({ exitCode: 4, denials })).toBe(`${line}parley: The turn ended without an answer.\n${goOn}`)
  })

  test('say how to go on after a failure that the transcript told', () => {
    expect(words({ exitCode: 8, outcome: 'failed', failure: { code: 'unreachable', message: 'x' } })).toBe(goOn)
  })

  test('repeat the flags without which the next run would be another', () => {
    const { stderr } = play([], { end: { exitCode: 13, answer: null }, repeated: " --check 'npm test'" })
    expect(stderr).toContain(`parley exec resume 12345678 --check 'npm test' "…"`)
  })

  test.each([
    [
      'names something',
      [7],
      'parley: The conversation is saved. Go on with: parley exec --repair resume 12345678 "…"\n',
    ],
    [
      'names nothing',
      [],
      `${goOn}parley: Where that is refused as well: parley resume 12345678 opens a window; type /repair half there.\n`,
    ],
  ])('name the way out of a refusal that %s', (_, seqs, lines) => {
    const failure = { code: 'invalidRequest', message: 'x', refused: { itemIds: [], seqs, what: '' } }
    expect(words({ exitCode: 1, outcome: 'failed', failure })).toBe(lines)
  })

  test('say that the time ran out', () => {
    const failure = { code: 'timeout', message: 'The time limit of 1 s ran out.' }
    expect(words({ exitCode: 7, outcome: 'interrupted', failure })).toBe(`parley: ${failure.message}\n${goOn}`)
  })

  test('do not promise what is not kept', () => {
    expect(words({ exitCode: 130, outcome: 'interrupted' }, false)).toBe('')
    const failure = { code: 'storageFailed', message: 'The disk is full.' }
    expect(words({ exitCode: 9, outcome: null, failure })).toBe('parley: The disk is full.\n')
  })

  test('name the problem of a run that came to no conversation', () => {
    const failure = { code: 'invalidParams', message: 'The prompt is empty.' }
    expect(words({ exitCode: 2, conversationId: null, outcome: null, failure })).toBe('parley: The prompt is empty.\n')
  })
})
