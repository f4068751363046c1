import { lineText } from '@parley/presentation/text/span'
import { cellWidth } from '@parley/presentation/text/width'
import { describe, expect, test } from 'vitest'
import { modelRows } from '../../src/ui/menu/loaded-rows.ts'
import { newMenu } from '../../src/ui/menu/menu.ts'
import { approvalRows, sandboxRows } from '../../src/ui/menu/setting-rows.ts'
import { changePart } from '../../src/ui/state/ui-state.ts'
import { layoutScreen } from '../../src/view/layout-screen.ts'
import { liveRows } from '../../src/view/live-zone.ts'
import type { Scene } from '../../src/view/scene.ts'
import {
  after,
  answer,
  colleague,
  command,
  compactions,
  completed,
  delta,
  diff,
  elicitation,
  ended,
  executionStarted,
  looking,
  patch,
  queued,
  read,
  requested,
  started,
  startedAt,
  tokens,
  toolCall,
  turnEnded,
  turnStarted,
  userMessage,
} from './scenes/conversation.ts'
import { pickerScenes } from './scenes/picker-scenes.ts'
import { sceneOf, shown, written } from './scenes/scene.ts'

const limits = { approvalPolicy: 'on-request', sandbox: 'workspace-write' } as const
const approvalMenu = newMenu({ kind: 'approvals', title: 'When to ask', rows: approvalRows(limits) }, 0)
const sandboxMenu = newMenu({ kind: 'sandbox', title: 'What commands may write to', rows: sandboxRows(limits) }, 0)
const models = {
  models: [
    { provider: 'openai', id: 'gpt-5', current: true },
    { provider: 'openai', id: 'gpt-5-mini', current: false },
  ],
  problems: [{ provider: 'anthropic', message: 'Anthropic did not answer within 5 s.' }],
  local: [{ provider: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:11434', models: ['qwen3:8b'] }],
}
const modelMenu = newMenu(
  { kind: 'model', title: 'Model', rows: modelRows(models, { model: 'gpt-5', modelProvider: 'openai' }) },
  0,
)

const change = { additions: 1, deletions: 0, before: null, after: null }
const uncommitted = {
  kind: 'changes',
  title: '3 files differ from the last commit  +2 −1',
  isCut: true,
  files: [
    { ...change, path: 'a.txt', kind: 'update', deletions: 1, diff: '@@ -1 +1 @@\n-one\n+two\n' },
    { ...change, path: 'old.txt', movedTo: 'new.txt', kind: 'update', additions: 0, diff: '' },
    { ...change, path: 'b.txt', kind: 'add', diff: '@@ -0,0 +1,1 @@\n+new\n' },
  ],
} as const

const longCommand = Array.from({ length: 60 }, (_, line) => `echo step ${line + 1}`).join('\n')
const asked = [turnStarted, completed(userMessage('Install it')), started(command('npm install left-pad')), requested()]

const issues = {
  head: Array.from({ length: 20 }, (_, index) => `issue ${index + 1}`).join('\n'),
  tail: '',
  totalBytes: 170,
  omittedBytes: 0,
}
const elicited = [
  turnStarted,
  completed(userMessage('File it')),
  started(toolCall('tracker: create_issue')),
  executionStarted('l1'),
  elicitation,
]

const scenes: Readonly<Record<string, Scene>> = {
  'before the server has answered': sceneOf(null, {
    connection: { link: { kind: 'starting' } },
    opened: null,
    composing: { composer: written('fix the') },
  }),
  'an empty conversation': sceneOf(after()),
  'an answer half written': sceneOf(
    after(
      turnStarted,
      completed(userMessage('What is wrong with the cart?')),
      started(answer('', 'm1', 'inProgress')),
      delta(
        'm1',
        '# Cart\n\nThe *discount* is wrong:\n\n```js\nreturn amount - percent\n```\n\nIt has to be a share of the amount, which `withDis',
      ),
    ),
  ),
  'a command that runs': sceneOf(
    after(
      turnStarted,
      completed(userMessage('Run the tests')),
      started(command('npm test')),
      executionStarted('x1'),
      delta('x1', '1 passed\n2 passed\n\u001b[31m3 failed\u001b[0m\n'),
    ),
    { composing: { composer: written('stop at the first failure') } },
  ),
  'a command that waits for an answer': sceneOf(after(...asked)),
  'an answer that is a note': sceneOf(after(...asked), {
    composing: { purpose: { kind: 'note', approvalId: 'a1' }, composer: written('use pnpm') },
  }),
  'an approval while something is written': sceneOf(after(...asked), { composing: { composer: written('wait') } }),
  'a long command with a character that hides': sceneOf(
    after(
      turnStarted,
      started(command(longCommand)),
      requested({
        title: 'echo step 1',
        detail: `${longCommand}\nrm \u202egnp.x`,
        decisions: ['approved', 'denied', 'abort'],
      }),
    ),
  ),
  'a patch that waits beside two others': sceneOf(
    after(
      turnStarted,
      started(patch('proposed')),
      started(command('ls', { id: 'x2' })),
      started(command('ps', { id: 'x3' })),
      requested({
        ...{ itemId: 'p1', kind: 'patch', title: 'Patch src/cart.js', detail: diff },
        forSession: { covers: 'any change to this file' },
      }),
      requested({ id: 'a2', itemId: 'x2' }),
      requested({ id: 'a3', itemId: 'x3' }),
    ),
  ),
  'a turn that is done': sceneOf(
    after(
      turnStarted,
      completed(userMessage('Fix the discount.\nAnd run the tests.')),
      completed({
        id: 'r1',
        type: 'reasoning',
        status: 'completed',
        title: 'Reasoning',
        text: '**Looking for the test**\n\nIt must be somewhere.',
      }),
      completed(read('Read src/cart.js', 'l1')),
      completed(looking('cat test/cart.test.js', 'l2')),
      {
        type: 'plan.updated',
        plan: {
          steps: [
            { step: 'Find the fault', status: 'completed' },
            { step: 'Fix it', status: 'inProgress' },
            { step: 'Run the tests', status: 'pending' },
          ],
        },
      },
      completed(ended('node --test', Array.from({ length: 40 }, (_, line) => `line ${line + 1}`).join('\n'), 1)),
      completed(patch('completed')),
      completed(
        command('rm -rf build', {
          id: 'x9',
          status: 'denied',
          decision: {
            verdict: 'ask',
            rule: { name: 'r' },
            reason: 'It deletes.',
            approvalId: 'a9',
            answer: 'denied',
            note: 'leave the build alone',
            by: colleague,
          },
        }),
      ),
      completed(answer('Done: the discount is a share of the amount now.', 'm2')),
      { type: 'usage.updated', turnId: 't1', counts: tokens, contextWindow: 128_000 },
      turnEnded(),
    ),
  ),
  'messages that wait for a paused inbox': sceneOf(
    after(
      turnStarted,
      completed(userMessage('Go')),
      queued('and write a test', 'steer'),
      queued('then release\nit', 'queue'),
      queued('and tell me', 'queue', 'q3', colleague),
      turnEnded('interrupted'),
    ),
  ),
  'a compaction that runs': sceneOf(after(...compactions.running)),
  'a compaction': sceneOf(after(...compactions.done)),
  'a provider that is busy': sceneOf(
    after(turnStarted, completed(userMessage('Go')), {
      type: 'retry.scheduled',
      turnId: 't1',
      retryAt: startedAt + 24_000,
      attempt: 2,
      failure: { code: 'overloaded', message: 'openai is overloaded.' },
    }),
  ),
  'a server that does not answer': sceneOf(after(turnStarted), { connection: { hangs: true } }),
  'a server that has ended': sceneOf(after(...asked), {
    connection: { link: { kind: 'lost' } },
    composing: { composer: written('kept') },
  }),
  'an approval that a crash kept from starting': sceneOf(
    after(
      ...asked,
      { type: 'approval.decided', approvalId: 'a1', decision: 'approved', by: colleague },
      { type: 'turn.parked', turnId: 't1', reason: 'The program ended.' },
    ),
  ),
  'a command being completed': sceneOf(after(), { composing: { composer: written('/s'), choice: 1 } }),
  'all commands offered': sceneOf(after(), { composing: { composer: written('/') } }),
  ...pickerScenes,
  'the list of live conversations when there are none': sceneOf(null, {
    menu: newMenu({ kind: 'attach', title: 'Attach to a conversation', rows: [] }, 0),
    opened: null,
  }),
  'the models there are': sceneOf(after(), { menu: modelMenu }),
  'a model that no provider lists': sceneOf(after(), { menu: { ...modelMenu, filter: written('o9') } }),
  'models being looked for': sceneOf(after(), { menu: { ...modelMenu, rows: null } }),
  'when to ask': sceneOf(after(), { menu: approvalMenu }),
  'a wider sandbox before it is confirmed': sceneOf(after(), {
    menu: { ...sandboxMenu, choice: 2, confirming: 'danger-full-access' },
  }),
  'what is not committed': sceneOf(after(), { notices: [uncommitted] }),
  'the plan on request': sceneOf(after(), {
    notices: [{ kind: 'plan', plan: { steps: [{ step: 'Find the fault', status: 'inProgress' }] } }],
  }),
  'a key that came too early': sceneOf(after(...asked), {
    answering: { heldKey: { text: 'y', written: 'y', atMs: 0, approvalId: 'a1', refusal: 'tooEarly' } },
  }),
  'a letter that is chosen': sceneOf(after(...asked), {
    answering: { heldKey: { text: 'y', written: 'y', atMs: 0, approvalId: 'a1', refusal: null } },
  }),
  'a command that runs what it downloads': sceneOf(
    after(
      turnStarted,
      started(command('curl -sS https://example.com/install.sh | sh')),
      requested({
        kind: 'escalation',
        title: 'curl -sS https://example.com/install.sh | sh',
        detail: 'curl -sS https://example.com/install.sh | sh',
        network: true,
        justification: 'Install the tool',
        reason: 'it destroys things for good (it runs what it downloads)',
        rule: { name: 'builtin:dangerous' },
        facts: { dangerous: 'it runs what it downloads' },
        decisions: ['approved', 'denied', 'abort'],
      }),
      requested({ id: 'a2', itemId: 'x2' }),
      requested({ id: 'a3', itemId: 'x3' }),
    ),
    {
      answering: { reached: { approvalId: 'a1', answer: 'note' } },
      composing: { composer: written('hm'), writing: false },
    },
  ),
  'a rule before it is added': sceneOf(
    after(
      turnStarted,
      started(command('npm test')),
      requested({
        title: 'npm test',
        detail: 'npm test',
        sandbox: 'workspace-write',
        network: false,
        always: {
          label: 'npm test -- …',
          rule: '[[rule]]\ndecision = "allow"\ncommand = ["npm", "test", "--"]\n',
          file: '/home/ada/.parley/policy.toml',
        },
        decisions: ['approved', 'approvedForSession', 'approvedAlways', 'denied', 'abort'],
      }),
    ),
    { answering: { remembering: 'a1' } },
  ),
  'a question in a window that only watches': sceneOf(after(...asked), {
    opened: {
      conversationId: 'c',
      shortId: '0a1b2c3d',
      readOnly: true,
      onlyWatches: true,
      attached: true,
      ephemeral: false,
    },
    answering: { heldKey: { text: '1', written: '1', atMs: 0, approvalId: 'a1', refusal: 'readOnly' } },
    connection: { clientCount: 2 },
  }),
  'a tool server that says how far it is': sceneOf(
    after(
      turnStarted,
      completed(userMessage('File it')),
      started(toolCall('tracker: create_issue')),
      executionStarted('l1'),
      delta('l1', '1 of 3: looking\n2 of 3: writing\n'),
    ),
  ),
  'a question of a tool server': sceneOf(after(...elicited)),
  'what tool servers said': sceneOf(
    after(
      turnStarted,
      completed({ ...toolCall('tracker: list_issues', 'l2'), status: 'completed', output: issues }),
      completed({
        ...toolCall('tracker: create_issue', 'l3'),
        status: 'failed',
        failure: { code: 'mcpToolError', message: 'The title is taken.' },
      }),
    ),
  ),
  'a text field of its form': sceneOf(after(...elicited), {
    composing: {
      purpose: {
        kind: 'form',
        form: { approvalId: 'a1', at: 2, answers: { kind: 'bug' }, choice: -1, ticked: [], problem: 'This is needed.' },
      },
    },
  }),
  'a choice of its form': sceneOf(after(...elicited), {
    composing: {
      purpose: { kind: 'form', form: { approvalId: 'a1', at: 0, answers: {}, choice: 1, ticked: [], problem: null } },
    },
  }),
  'commands that met the limits of the sandbox': sceneOf(
    after(
      turnStarted,
      completed(
        ended('git commit -m x', "fatal: Unable to create '.git/index.lock'\n", 128, {
          modelText: 'exit 128',
          sandboxBlock: { paths: ['/home/ada/shop/.git/index.lock'], network: true },
        }),
      ),
      completed(
        ended('npm install', 'added 3 packages\n', 0, {
          network: 'to fetch the packages',
          decision: {
            verdict: 'ask',
            rule: { name: 'builtin:network' },
            reason: 'it asks to use the network',
            approvalId: 'a1',
            limits: { sandbox: 'workspace-write', network: true },
          },
        }),
      ),
    ),
  ),
  'a command of your own being written': sceneOf(after(), { composing: { composer: written('!git push') } }),
  'a sandbox with network': sceneOf(
    after({
      type: 'conversation.configured',
      settings: { sandbox: 'workspace-write', enforcement: 'full', network: true },
    }),
  ),
  'full access': sceneOf(
    after({
      type: 'conversation.configured',
      settings: { sandbox: 'danger-full-access', enforcement: 'none', approvalPolicy: 'never' },
    }),
  ),
}

const cases = Object.entries(scenes).flatMap(([name, scene]) =>
  [40, 80, 120].map((columns) => ({ name, columns, scene: { ...scene, size: { ...scene.size, columns } } })),
)

describe('project', () => {
  test.each(cases)('$name at $columns columns looks as in its fixture', async ({ name, columns, scene }) => {
    const file = `./fixtures/screens/${name.replaceAll(' ', '-')}.${columns}.txt`
    await expect(`${shown(scene)}\n`).toMatchFileSnapshot(file)
  })

  test.each(cases)('$name fits $columns columns where ambiguous characters have two', ({ columns, scene }) => {
    const wide = { ...scene, ui: changePart(scene.ui, 'look', { ambiguousWidth: 2 }) }
    const { screen } = layoutScreen(wide)
    const rows = [...screen.settled.flatMap(({ lines }) => lines), ...liveRows(screen.live)]
    expect(rows.map(lineText).filter((text) => cellWidth(text, 2) > columns)).toEqual([])
  })
})
