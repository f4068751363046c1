import { type ConversationEvent, type Item, withRecordedFacts } from '@parley/protocol'
import { describe, expect, it } from 'vitest'

const shown = { id: 'i', title: 't', text: 't' }
const command = {
  ...shown,
  type: 'commandExecution',
  status: 'failed',
  tool: 'shell',
  command: ['touch', '/x/a'],
  cwd: '/w',
} satisfies Item
const stopped = { ...command, status: 'interrupted' } satisfies Item
const toolCall = { ...shown, type: 'toolCall', status: 'failed', tool: 'look', input: '{}' } satisfies Item
const notice = { id: 'n', type: 'notice', status: 'completed', text: '', level: 'info', code: 'interrupted' } as const
const second =
  '(This was its second run, with more rights, which the user allowed. The first one, in the sandbox, failed.)'
const blocked =
  '(The sandbox: it hides /k, where secrets are kept; ask the user; it is partial here, and lets nothing be made or removed directly in a writable folder, only in the folders within it; that keeps it from /w/b; it does not let a command change or see /x/a. If it needs that, call shell again with escalate: true and a reason; the user is asked.)'
const hooked = '(A hook changed this call; what counts is now: {"command":"touch\n/x/a"})'
const repeated =
  '(This was the same call 5 times in a row, with the same arguments and the same result. It will not help you any further: look at it, and do something else. To wait for a process, wait longer in one call. After 20 the turn is stopped.)'
const denied = '(The user denied running it again with more rights and says: no.)'

function completed(item: Item): ConversationEvent {
  return { type: 'item.completed', item }
}

describe('an event of an earlier program gets as a field', () => {
  it.each<[string, Item, object]>([
    ['the reason of a client for stopping a turn', { ...notice, title: 'SIGTERM.' }, { why: 'SIGTERM.' }],
    [
      'the place of a rule that was added',
      {
        ...notice,
        code: 'ruleAdded',
        title: 'From now on allowed, in every folder, with the network: `f (x)` (/home/ada/.parley/policy.toml:3).',
      },
      { rule: { file: '/home/ada/.parley/policy.toml', line: 3 } },
    ],
    [
      'the sentences at the end of a result',
      { ...command, attempt: 2, modelText: ['out', second, hooked, repeated].join('\n') },
      {
        hints: [
          { about: 'secondRun', text: second },
          { about: 'hookChange', text: hooked },
          { about: 'repetition', text: repeated },
        ],
      },
    ],
    [
      'the paths that the sandbox hides or keeps from being made',
      {
        ...command,
        sandboxBlock: { paths: ['/k', '/w/b', '/x/a'], network: false },
        modelText: ['out', blocked, denied].join('\n'),
      },
      {
        sandboxBlock: { paths: ['/k', '/w/b', '/x/a'], network: false, hidden: ['/k'], unmakeable: ['/w/b'] },
        hints: [
          { about: 'sandboxBlock', text: blocked },
          { about: 'deniedRetry', text: denied },
        ],
      },
    ],
    [
      'the tools of that time',
      {
        ...toolCall,
        modelText: 'There is no tool "look". Tools with a like name: book. All of them: shell, book.',
        failure: { code: 'invalidToolCall', message: 'There is no tool "look".' },
      },
      { knownTools: ['shell', 'book'] },
    ],
    [
      'no tools where an MCP server says such a sentence',
      { ...toolCall, modelText: 'There is no tool "x". The tools are: a.' },
      {},
    ],
    [
      'that a call did not run because its environment was out of reach',
      {
        ...command,
        modelText: 'Not run: box does not answer.',
        failure: { code: 'environmentUnreachable', message: 'box does not answer.' },
      },
      { notRun: true },
    ],
    ['that a stopped call did not run', { ...stopped, modelText: 'Not run: parley was closed.' }, { notRun: true }],
    [
      'that a stopped call was not sent',
      { ...toolCall, status: 'interrupted', modelText: 'Not sent: the turn was stopped.' },
      { notRun: true },
    ],
  ])('%s', (_name, item, facts) => {
    expect(withRecordedFacts(completed(item))).toEqual(completed({ ...item, ...facts }))
    const failed = { type: 'execution.failed', itemId: 'i', attempt: 1 } as const
    expect(withRecordedFacts({ ...failed, item })).toEqual({ ...failed, item: { ...item, ...facts } })
  })

  it.each([
    ['planChanged', 'what it would do has changed since the yes; it writes outside'],
    ['foreignAnswer', 'the yes comes from a log that another home or program wrote; it writes outside'],
    ['modeNotInForce', 'the mode that the answer chose is not in force; a plan is chosen by the user'],
  ])('%s, the reason why a yes did not count', (askedAgain, reason) => {
    const event = { type: 'approval.requested', approval: { id: 'a', reason } } as unknown as ConversationEvent // narrowed: no other field is read
    expect(withRecordedFacts(event)).toMatchObject({ approval: { reason, askedAgain } })
  })
})

describe('an event stays as it is', () => {
  it.each<[string, Item]>([
    ['with an interrupt of the user', { ...notice, title: 'Interrupted' }],
    ['with another notice', { ...notice, code: 'shutdown', title: 'Stopped: parley was closed' }],
    ['with a result without hints', { ...command, modelText: 'out\n(The sandbox: is mine)' }],
    ['with a result that goes on after such a sentence', { ...command, modelText: `out\n${repeated}\nmore` }],
    ['with a result that has the field', { ...command, modelText: `out\n${repeated}`, hints: [] }],
    ['with a denied call', { ...command, status: 'denied', modelText: 'Not run: the user denied this.' }],
    ['with a message', { id: 'm', type: 'agentMessage', status: 'completed', title: '', text: `\n${repeated}` }],
  ])('%s', (_name, item) => {
    const event = completed(item)
    expect(withRecordedFacts(event)).toBe(event)
  })

  it('of another type', () => {
    const event: ConversationEvent = { type: 'item.started', item: { ...notice, title: 'SIGTERM.' } }
    expect(withRecordedFacts(event)).toBe(event)
  })
})
