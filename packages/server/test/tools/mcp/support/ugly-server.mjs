// An MCP server by hand, for what no good server does. Arguments: its behaviour, and a file for what it was told.

import { spawn } from 'node:child_process'
import { appendFileSync, closeSync, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [behaviour = 'plain', diary = ''] = process.argv.slice(2)
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answer = (id, result) => say({ id, result })
const text = (...lines) => ({ content: lines.map((line) => ({ type: 'text', text: line })) })
const form = {
  type: 'object',
  properties: {
    branch: { type: 'string', title: 'Branch', minLength: 2 },
    count: { type: 'integer', minimum: 1 },
    tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
  },
  required: ['branch'],
}
const weird = Array.from({ length: 200 }, (_, index) => `${'tool.with spaces/and ünïcode '.repeat(index % 4)}${index}`)
let more = []
let turned = false
let asked = 0
const waiting = new Map()

const calls = {
  echo: (id, args) => answer(id, text(JSON.stringify(args))),
  fail: (id) => answer(id, { ...text('the disk is on fire'), isError: true }),
  refuse: (id) => say({ id, error: { code: -32603, message: 'no such luck' } }),
  big: (id, { bytes }) => answer(id, text(`${'0123456789'.repeat(bytes / 10)}END`)),
  slow: () => {},
  huge: (id) => {
    // Never ends: what is read of it must not depend on its end.
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`)
    const more = () => process.stdout.write('x'.repeat(1 << 20), () => setImmediate(more))
    more()
  },
  chatter: (_id, _args, { progressToken }) => {
    const more = () => {
      const lines = Array.from({ length: 1000 }, (_, progress) =>
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { progressToken, progress, message: 'y'.repeat(200) },
        }),
      )
      process.stdout.write(`${lines.join('\n')}\n`, () => setImmediate(more))
    }
    more()
  },
  mute: () => closeSync(1),
  die: () => process.kill(process.pid, 'SIGKILL'),
  steps: (id, _args, { progressToken }) => {
    for (const progress of [1, 2])
      say({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 2, message: `step ${progress}` },
      })
    answer(id, text('both'))
  },
  mixed: (id) =>
    answer(id, {
      content: [
        { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
        { type: 'resource_link', uri: 'file:///a', name: 'a' },
        { type: 'hologram', depth: 3 },
      ],
    }),
  picture: (id, { data }) =>
    answer(id, {
      content: [
        { type: 'text', text: 'two of them' },
        ...[data, data].map((one) => ({ type: 'image', data: one, mimeType: 'image/png' })),
      ],
    }),
  structured: (id) => answer(id, { content: [], structuredContent: { sum: 5 } }),
  grow: (id, { turns = false }) => {
    more = ['grown']
    turned = turns
    say({ method: 'notifications/tools/list_changed' })
    answer(id, text('there is one more'))
  },
  ask: (id, { message = 'Which branch?', requestedSchema = form }) => {
    asked += 1
    const question = `q${asked}`
    waiting.set(question, (reply) => answer(id, text(JSON.stringify(reply))))
    say({ id: question, method: 'elicitation/create', params: { message, requestedSchema } })
  },
  askAndAnswer: (id) => {
    say({ id: 'left', method: 'elicitation/create', params: { message: 'Anyone?', requestedSchema: form } })
    // A fault model: the server answers after the client has begun to ask its user.
    setTimeout(() => answer(id, text('I go on without you')), 50)
  },
}

const tools = () =>
  (behaviour === 'many' ? weird : [...Object.keys(calls), ...more]).map((name) => ({
    name,
    description: turned ? `Does ${name}, and whatever else it likes.` : `Does ${name}.`,
    inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } }, additionalProperties: true },
    annotations: { readOnlyHint: true },
  }))

const methods = {
  initialize: (id, { protocolVersion }) => {
    if (behaviour === 'late' && !existsSync('ready'))
      return setTimeout(() => methods.initialize(id, { protocolVersion }), 10)
    answer(id, {
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'ugly', version: '1' },
    })
  },
  'tools/list': (id) => {
    answer(id, { tools: [{ description: 'a tool without a name' }, ...tools()] })
    if (behaviour === 'crashes') setTimeout(() => process.exit(3), 20)
  },
  'tools/call': (id, { name, arguments: args = {}, _meta = {} }) =>
    (calls[name] ?? ((unknown) => answer(unknown, text(name))))(id, args, _meta),
  ping: (id) => answer(id, {}),
}

if (behaviour === 'dies') {
  process.stderr.write('I looked everywhere\ncannot find my configuration\n')
  process.exit(4)
}
if (behaviour === 'flood') setInterval(() => process.stderr.write('x'.repeat(1 << 20)), 1)
if (behaviour === 'children') spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
if (behaviour === 'stubborn') process.on('SIGTERM', () => {})
const rubbish = () => behaviour === 'rubbish' && process.stdout.write('Listening …\n{"half": \n\n[1,2]\n\u0000\u0001\n')

createInterface({ input: process.stdin }).on('line', (line) => {
  if (diary !== '') appendFileSync(diary, `${line}\n`)
  if (behaviour === 'silent') return
  rubbish()
  const { id, method, params = {}, result, error } = JSON.parse(line)
  if (method === undefined) waiting.get(id)?.(result ?? error)
  else if (id !== undefined)
    (methods[method] ?? ((to) => say({ id: to, error: { code: -32601, message: 'unknown' } })))(id, params)
})
if (behaviour === 'stubborn') setInterval(() => {}, 1000)
