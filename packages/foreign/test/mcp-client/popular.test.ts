import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it, vi } from 'vitest'
import { browserProgram } from '../browser/browser-program.ts'
import { fieldsOf, referenceServer, startTalk, stdioServer, type Talk } from './talk.ts'

// Real processes, a browser among them, on a machine that does other things as well.
vi.setConfig({ testTimeout: 120_000 })

if (browserProgram === undefined)
  process.stderr.write('no Chromium is installed: the test of @playwright/mcp is skipped\n')

const allowed = '[[rule]]\ndecision = "allow"\nmcp = "*/*"\n'
const patient = 'startup_timeout_sec = 60\ntool_timeout_sec = 60'

/** Servers of npm with a call of each: its tool, its arguments, and what its answer says. */
const servers = {
  everything: {
    args: [referenceServer('everything'), 'stdio'],
    call: ['get-sum', { a: 2, b: 3 }],
    says: 'The sum of 2 and 3 is 5.',
  },
  files: { args: [referenceServer('filesystem'), '.'], call: ['list_directory', { path: '.' }], says: '[FILE] a.txt' },
  memory: { args: [referenceServer('memory')], call: ['read_graph', {}], says: '"entities": []' },
  thinking: {
    args: [referenceServer('sequential-thinking')],
    call: [
      'sequentialthinking',
      { thought: 'Look first.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    ],
    says: '"thoughtHistoryLength": 1',
  },
} as const

const names = ['everything', 'files', 'memory', 'thinking'] as const

function sectionOf(name: (typeof names)[number]): string {
  const section = stdioServer(name, servers[name].args, patient)
  return name === 'memory' ? section.replace('env = {', 'env = { MEMORY_FILE_PATH = "$CWD/memory.jsonl",') : section
}

const noticesOf = (talk: Talk) =>
  talk
    .events('item.completed')
    .map(({ item }) => fieldsOf(item))
    .filter(({ type }) => type === 'notice')

describe('a popular server of npm', () => {
  it.each(names)('%s starts, lists and answers, and nothing of its list is left out', async (name) => {
    const { call, says } = servers[name]
    await using talk = await startTalk({
      config: sectionOf(name),
      policy: allowed,
      files: { 'a.txt': 'alpha' },
      steps: [{ calls: [{ name: `mcp__${name}__${call[0]}`, arguments: call[1] }] }, { text: 'Done.' }],
    })
    await talk.send('Go')
    await talk.turnEnded()
    expect(talk.offered()).toContain(`mcp__${name}__${call[0]}`)
    expect(talk.told()).toEqual([expect.stringContaining(says)])
    expect(noticesOf(talk)).toEqual([])
  })

  it.each(isLong ? ['responses', 'chat', 'anthropic', 'gemini'] : ['anthropic'])(
    'is offered beside all others on the wire %s',
    async (wire) => {
      await using talk = await startTalk({ config: names.map(sectionOf).join('\n'), wire, steps: [{ text: 'Done.' }] })
      await talk.send('Go')
      await talk.turnEnded()
      const body = JSON.stringify(talk.model.requests.at(-1)?.body)
      for (const name of names) expect(body).toContain(`mcp__${name}__${servers[name].call[0]}`)
      expect(noticesOf(talk)).toEqual([])
    },
  )
})

describe.skipIf(browserProgram === undefined)('@playwright/mcp', () => {
  it('opens a page in the browser of this machine and tells what it shows', async () => {
    const page = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Shop</title><h1>Apples</h1><button>Buy</button>')
    })
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
    const { port } = page.address() as AddressInfo
    const require = createRequire(import.meta.url)
    const program = join(dirname(require.resolve('@playwright/mcp/package.json')), 'cli.js')
    const browser = ['--headless', '--isolated', '--no-sandbox', '--executable-path', browserProgram ?? '']
    const call = (tool: string, args: object) => ({ calls: [{ name: `mcp__browser__${tool}`, arguments: args }] })
    await using talk = await startTalk({
      config: stdioServer('browser', [program, ...browser], patient),
      policy: allowed,
      steps: [
        call('browser_navigate', { url: `http://127.0.0.1:${port}/` }),
        call('browser_snapshot', {}),
        { text: 'Done.' },
      ],
    })
    await talk.send('What is sold?')
    await waitUntil(() => talk.events('turn.ended').length === 1, { what: 'the end of the turn', timeoutMs: 90_000 })
    expect(talk.told()).toEqual([
      expect.stringContaining('Shop'),
      expect.stringMatching(/heading "Apples".*button "Buy"/s),
    ])
    expect(noticesOf(talk)).toEqual([])
    page.close()
    page.closeAllConnections()
  })
})
