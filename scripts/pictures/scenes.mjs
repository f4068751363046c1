import { patch } from './project.mjs'

const call = (name, args) => ({ name, arguments: args })
const request = 'the tenant cache grows without bound. fix it'
const plan = (first, second, third) =>
  call('update_plan', {
    plan: [
      { step: 'Find what is cached', status: first },
      { step: 'Bound the cache', status: second },
      { step: 'Run the tests', status: third },
    ],
  })

const lookUps = [
  call('read_file', { path: 'src/cache.js' }),
  call('read_file', { path: 'package.json' }),
  call('search', { pattern: 'cache', path: 'src' }),
]
const summary = `The cache is bounded now, and misses are no longer kept.

1. **Bound**: \`BoundedMap\` holds 10,000 tenants and forgets the oldest.
2. **Misses**: \`tenant()\` stores a row only when there is one.

| | before | now |
|---|---|---|
| entries | without limit | 10,000 |
| misses | kept | not kept |

\`\`\`js
const row = await load(id)
if (row) cache.set(id, row) // a miss is asked for again
\`\`\`
`
const beginning = [
  {
    text: "I'll look at the cache and its callers first.",
    calls: [plan('in_progress', 'pending', 'pending'), ...lookUps],
  },
  { calls: [call('shell', { command: 'npm test' })] },
  {
    text: 'One test fails because misses are cached. I will bound the cache and only keep hits:',
    calls: [plan('completed', 'in_progress', 'pending'), call('apply_patch', { patch })],
  },
]
const wholeTurn = [
  ...beginning,
  { calls: [plan('completed', 'completed', 'in_progress'), call('shell', { command: 'npm test' })] },
  { calls: [plan('completed', 'completed', 'completed')] },
  { text: summary, chunks: 12 },
]
const install = {
  calls: [
    call('shell', {
      command: 'curl -sS https://example.com/install.sh | sh',
      escalate: true,
      reason: 'Install the tool that the tests need.',
    }),
  ],
}
const needsRepair = call('apply_patch', { patch })

async function ask(terminal, text) {
  await terminal.ready()
  terminal.paste(text)
  await terminal.shows(text.slice(0, 12))
  terminal.press('Enter')
}

async function runTurn(terminal) {
  await ask(terminal, request)
  await terminal.shows(/asked for again[\s\S]*› Ask/, 60_000)
}

/**
 * Scenes: steps of the model, settings, and acts of the user until the picture is taken. `about` describes the picture
 * in one sentence.
 */
export const scenes = {
  start: { about: 'parley has just started', steps: [], play: (terminal) => terminal.ready() },
  transcript: {
    about: 'A finished turn: look-ups, a failed test, a patch, an answer',
    steps: wholeTurn,
    play: runTurn,
  },
  question: {
    about: 'parley asks before a command leaves the sandbox',
    steps: [install],
    async play(terminal) {
      await ask(terminal, 'install the tool')
      await terminal.shows(/Run .*sandbox|Run this command/)
    },
  },
  patch: {
    about: 'parley shows a patch and asks before it applies it',
    config: ['approval_policy = "untrusted"'],
    steps: [{ calls: [needsRepair] }],
    async play(terminal) {
      await ask(terminal, request)
      await terminal.shows(/━━ Make/)
    },
  },
  working: {
    about: 'A command runs; a message waits for the next step',
    steps: [
      ...beginning,
      { calls: [plan('completed', 'completed', 'in_progress'), call('shell', { command: 'sleep 300' })] },
    ],
    async play(terminal) {
      await ask(terminal, request)
      await terminal.shows(/sleep 300/)
      await terminal.shows(/esc/i)
      terminal.paste('also update the docs')
      await terminal.shows('also update the docs')
      terminal.press('Enter')
      await terminal.shows(/next step/)
    },
  },
  menu: {
    about: 'The menu of sandbox modes',
    steps: [],
    async play(terminal) {
      await terminal.ready()
      terminal.write('/sandbox')
      await terminal.shows('/sandbox')
      terminal.press('Enter')
      await terminal.shows(/read-only/)
    },
  },
  view: {
    about: 'The transcript view with a search',
    steps: wholeTurn,
    async play(terminal) {
      await runTurn(terminal)
      terminal.press('Ctrl+T')
      await terminal.shows(/q leaves/)
      terminal.write('/cache')
      await terminal.shows('/cache')
      terminal.press('Enter')
      await terminal.shows(/\d+ of \d+|\d+\/\d+/)
    },
  },
  resume: {
    about: 'A question is there again after everything was killed and resumed',
    steps: [...beginning.slice(0, 2), install],
    async play(terminal) {
      await ask(terminal, request)
      await terminal.shows(/Run .*sandbox|Run this command/)
      await terminal.killAndRestart('resume', '--last')
      await terminal.shows(/Run .*sandbox|Run this command/)
    },
  },
  files: {
    about: 'Files of the project are completed after @',
    steps: [],
    async play(terminal) {
      await terminal.ready()
      terminal.write('look at @ca')
      await terminal.shows(/src\/cache/)
    },
  },
  failure: {
    about: 'A turn fails because the key is wrong',
    steps: [{ status: 401, body: { error: { message: 'Incorrect API key provided' } } }],
    async play(terminal) {
      await ask(terminal, request)
      await terminal.shows(/key/i)
    },
  },
}
