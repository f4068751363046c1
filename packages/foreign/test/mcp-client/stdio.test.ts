import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitUntil } from '@parley/testkit'
import { isLong } from '@parley/testkit/long-runs'
import { describe, expect, it, vi } from 'vitest'
import { fieldsOf, referenceServer, startTalk, stdioServer } from './talk.ts'

// Real processes on a machine that does other things as well.
vi.setConfig({ testTimeout: 60_000 })

const everything = stdioServer('everything', [referenceServer('everything'), 'stdio'])
const allowed = '[[rule]]\ndecision = "allow"\nmcp = "*/*"\n'
const call = (tool: string, args: unknown = {}) => ({
  calls: [{ name: `mcp__everything__${tool}`, arguments: args }],
})

describe('server-everything over stdio', () => {
  it('has its tools called after a yes, and after one for the conversation without', async () => {
    const sum = (a: number, b: number) => call('get-sum', { a, b })
    await using talk = await startTalk({
      config: everything,
      steps: [sum(2, 3), sum(4, 5), call('echo', { message: 'hi' })],
    })
    await talk.send('What is 2 + 3?')
    const approval = await talk.approval('mcpTool')
    expect(approval).toMatchObject({ title: 'everything: get-sum', detail: '{\n  "a": 2,\n  "b": 3\n}' })
    expect(approval).toMatchObject({ forSession: { any: 'any call of everything/get-sum' } })
    await talk.decide(approval, 'approvedForSession', { scope: 'any' })
    expect(await talk.approval('mcpTool')).toMatchObject({ title: 'everything: echo' })
    expect(talk.told()).toEqual(['The sum of 2 and 3 is 5.', 'The sum of 4 and 5 is 9.'])
    expect(talk.offered()).toEqual(expect.arrayContaining(['shell', 'list_mcp_resources', 'mcp__everything__get-env']))
    const { servers } = await talk.request('mcp/list', {})
    expect(servers).toMatchObject([
      { name: 'everything', state: 'ready', restarts: 0, tools: expect.arrayContaining(['get-sum', 'echo']) },
    ])
  })

  it('has its resources listed and read, shows progress, and tells of an error', async () => {
    const read = { server: 'everything', uri: 'demo://resource/static/document/features.md' }
    await using talk = await startTalk({
      config: everything,
      policy: allowed,
      steps: [
        { calls: [{ name: 'list_mcp_resources', arguments: {} }] },
        { calls: [{ name: 'read_mcp_resource', arguments: read }] },
        call('trigger-long-running-operation', { duration: 0.9, steps: 3 }),
        call('get-sum', { a: 'two' }),
        { text: 'Done.' },
      ],
    })
    await talk.send('What can it do?')
    await talk.turnEnded()
    const [list, text, long, error] = talk.told()
    expect(list).toContain(read.uri)
    expect(text).toMatch(/features/i)
    expect(long).toBe('Long running operation completed. Duration: 0.9 seconds, Steps: 3.')
    const shown = talk.events('item.delta').map(({ text: piece }) => piece)
    // The SDK passes on no progress that comes with the result, as the second step may on a busy machine.
    expect(shown.join('')).toContain('1 of 3\n')
    expect(error).toMatch(/^Error: .*Invalid arguments/s)
  })

  it('asks the user while its tool runs, and gets the answers', async () => {
    await using talk = await startTalk({
      config: everything,
      policy: allowed,
      steps: [call('trigger-elicitation-request'), { text: 'Thanks.' }],
    })
    await talk.send('Ask me')
    const question = await talk.approval('elicitation')
    const { fields } = fieldsOf(question['form'])
    expect(fields).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'email',
          type: 'string',
          description: expect.stringContaining('an e-mail address'),
        }),
        expect.objectContaining({ name: 'titledSingleSelectEnum', type: 'choice', default: 'hero-1' }),
        expect.objectContaining({ name: 'titledMultipleSelectEnum', type: 'choices', default: ['fish-1'] }),
      ]),
    )
    const refused = await talk.decide(question, 'approved', { answers: { name: 'Ada', email: 'nobody' } })
    expect(refused).toMatchObject({ error: { code: -32602, data: { field: 'answers.email' } } })
    const answers = { name: 'Ada', check: true, integer: 7, untitledMultipleSelectEnum: ['Guitar', 'Drums'] }
    await talk.decide(question, 'approved', { answers })
    await talk.turnEnded()
    expect(talk.told()[0]).toContain('User provided the requested information')
    expect(talk.told()[0]).toMatch(/"untitledMultipleSelectEnum": \[\s+"Guitar",\s+"Drums"\s+\]/)
  })

  it('killed in the middle of a call is told as what it is, and started again', async () => {
    const long = call('trigger-long-running-operation', { duration: 60, steps: 600 })
    await using talk = await startTalk({
      config: everything,
      policy: allowed,
      steps: [long, call('echo', { message: 'back' }), { text: 'Ok.' }],
    })
    await talk.send('Take your time')
    await talk.event('item.delta')
    for (const pid of talk.servers()) process.kill(pid, 'SIGKILL')
    await talk.turnEnded()
    expect(talk.told()).toEqual([
      'The MCP server "everything" went away while this ran: it was ended by SIGKILL. What it had done by then is unknown.',
      'Echo: back',
    ])
  })

  it.each(isLong ? (['SIGKILL', 'SIGTERM'] as const) : (['SIGKILL'] as const))(
    'leaves no process behind when parley gets %s in the middle of a call',
    async (signal) => {
      const long = call('trigger-long-running-operation', { duration: 60, steps: 600 })
      await using talk = await startTalk({ config: everything, policy: allowed, steps: [long] })
      await talk.send('Take your time')
      await talk.event('item.delta')
      expect(talk.servers()).toHaveLength(1)
      talk.run.signal(signal)
      await waitUntil(() => talk.servers().length === 0, { what: 'the end of the MCP server' })
    },
  )
})

describe('other reference servers', () => {
  it('server-filesystem reads and writes in the folder of the conversation', async () => {
    const files = (tool: string, args: unknown) => ({ name: `mcp__files__${tool}`, arguments: args })
    await using talk = await startTalk({
      config: stdioServer('files', [referenceServer('filesystem'), '.']),
      policy: '[[rule]]\ndecision = "allow"\nmcp = "files/read_*"\n',
      files: { 'a.txt': 'alpha' },
      steps: [
        { calls: [files('read_text_file', { path: 'a.txt' })] },
        { calls: [files('write_file', { path: 'b.txt', content: 'beta' })] },
        { text: 'Done.' },
      ],
    })
    await talk.send('Copy')
    await talk.decide(await talk.approval('mcpTool'), 'approved')
    await talk.turnEnded()
    expect(talk.told()[0]).toBe('alpha')
    expect(await readFile(join(talk.cwd, 'b.txt'), 'utf8')).toBe('beta')
  })

  it.runIf(isLong)('server-memory keeps what it is told', async () => {
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['writes programs'] }]
    await using talk = await startTalk({
      config: stdioServer('memory', [referenceServer('memory')]).replace(
        'env = {',
        'env = { MEMORY_FILE_PATH = "$CWD/memory.jsonl",',
      ),
      policy: allowed,
      steps: [
        { calls: [{ name: 'mcp__memory__create_entities', arguments: { entities } }] },
        { calls: [{ name: 'mcp__memory__search_nodes', arguments: { query: 'programs' } }] },
        { text: 'Ada.' },
      ],
    })
    await talk.send('Who writes programs?')
    await talk.turnEnded()
    expect(talk.told()[1]).toContain('"name": "Ada"')
  })
})
