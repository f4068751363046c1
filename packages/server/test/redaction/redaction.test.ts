import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { secretsOfConfig } from '@parley/config'
import { createRedaction, redactEvent, redactJson } from '@parley/redaction'
import { openServerLog } from '@parley/serving/src/home-folder.ts'
import { secretCorpus, tempDirectory } from '@parley/testkit'
import { describe, expect, it } from 'vitest'

const key = secretCorpus('home').find(({ name }) => name === 'groq')?.secret ?? ''

describe('the marks of a home', () => {
  it('are the same for the same secret, in every process, and differ between homes', async () => {
    await using one = await tempDirectory()
    await using other = await tempDirectory()
    const marks = [one, one, other].map(({ path }) => createRedaction({ home: path, env: {} }).text(key))
    expect(marks[0]).toMatch(/^\[secret:groq:[0-9a-f]{8}\]$/)
    expect(marks[1]).toBe(marks[0])
    expect(marks[2]).not.toBe(marks[0])
    expect(statSync(join(one.path, 'redaction.key')).mode & 0o777).toBe(0o600)
  })

  it('need no key while there is no secret', async () => {
    await using home = await tempDirectory()
    createRedaction({ home: home.path, env: {} }).text('nothing here')
    expect(statSync(join(home.path, 'redaction.key'), { throwIfNoEntry: false })).toBeUndefined()
  })

  it.each(['readable by others', 'a link', 'a folder', 'too short'])(
    'are made without a key that is %s',
    async (what) => {
      await using home = await tempDirectory()
      const path = join(home.path, 'redaction.key')
      const planted = Buffer.alloc(32, 7)
      writeFileSync(join(home.path, 'planted'), planted, { mode: 0o600 })
      if (what === 'a folder') mkdirSync(path)
      else if (what === 'a link') symlinkSync('planted', path)
      else writeFileSync(path, what === 'too short' ? 'short' : planted, { mode: 0o600 })
      if (what === 'readable by others') chmodSync(path, 0o644)
      await using clean = await tempDirectory()
      writeFileSync(join(clean.path, 'redaction.key'), planted, { mode: 0o600 })
      const mark = createRedaction({ home: home.path, env: {} }).text(key)
      expect(mark).toMatch(/^\[secret:groq:[0-9a-f]{8}\]$/)
      expect(mark).not.toBe(createRedaction({ home: clean.path, env: {} }).text(key))
    },
  )
})

it('what is learned later is hidden from then on', async () => {
  await using home = await tempDirectory()
  const redaction = createRedaction({ home: home.path, env: {} })
  expect(redaction.hasSecret('x Own-value-77')).toBe(false)
  const config = { model_providers: { p: { env_key: 'ODD', headers: { Authorization: 'Bearer Own-value-78' } } } }
  redaction.learn(secretsOfConfig({ values: config, misplaced: [] }, { ODD: 'Own-value-77' }))
  expect(redaction.text('Own-value-77 Own-value-78 Own-value-79')).toMatch(
    /^\[secret:ODD:\w{8}\] \[secret:Authorization:\w{8}\] Own-value-79$/,
  )
})

it('output comes through whole, cut anywhere, with marks in it, and unchanged where there is none', async () => {
  await using home = await tempDirectory()
  const redaction = createRedaction({ home: home.path, env: {} })
  const plain = Buffer.from('a line with ünïcode and 日本語, again and again.\n'.repeat(300))
  const whole = Buffer.concat([plain, Buffer.from(`${key}\n`), plain])
  for (const size of [1, 7, 1000, 65_536]) {
    const filter = redaction.filter()
    const out: Buffer[] = []
    for (let at = 0; at < whole.length; at += size) out.push(Buffer.from(filter.push(whole.subarray(at, at + size))))
    out.push(filter.end(false))
    expect(Buffer.concat(out).toString()).toBe(`${plain}${redaction.text(key)}\n${plain}`)
  }
})

it('ids, hashes, side files and what a provider wants back unchanged are left as they are', () => {
  const redact = () => 'M'
  expect(
    redactEvent(
      {
        type: 'model.responded',
        turnId: 't',
        adapter: 'a',
        parts: [{ type: 'reasoning', id: 'r', encrypted_content: 'e', summary: [{ text: 's' }] }],
        text: 'x',
        calls: [{ itemId: 'i', callId: 'c', name: 'n', arguments: '{}' }],
      },
      redact,
    ),
  ).toEqual({
    type: 'model.responded',
    turnId: 't',
    adapter: 'M',
    parts: [{ type: 'reasoning', id: 'r', encrypted_content: 'e', summary: [{ text: 'M' }] }],
    text: 'M',
    calls: [{ itemId: 'i', callId: 'c', name: 'M', arguments: '{}' }],
  })
  const files = { instructions: 'f1', tools: 'f2', sessionContext: 'f3' }
  const context = { type: 'context.set', ...files, adapter: 'a', instructionFiles: ['p'] } as const
  expect(redactEvent({ ...context, instructionFiles: ['p'] }, redact)).toMatchObject({
    ...files,
    instructionFiles: ['M'],
  })
  const delta = { type: 'item.delta', itemId: 'i', text: 'half of a key' } as const
  expect(redactEvent(delta, redact)).toBe(delta)
})

it('JSON stays JSON where a mark would take half of an escape with it', () => {
  const value = JSON.stringify({ a: '\n0tSecret' })
  const redact = (text: string) => text.replaceAll('n0tSecret', 'MARK').replaceAll('\n0tSecret', 'MARK')
  const event = {
    type: 'model.responded',
    turnId: 't',
    adapter: 'a',
    parts: [],
    text: '',
    calls: [{ itemId: 'i', callId: 'c', name: 'n', arguments: value }],
  } as const
  const redacted = redactEvent({ ...event, parts: [], calls: [...event.calls] }, redact)
  expect(redacted).toMatchObject({ calls: [{ arguments: '{"a":"MARK"}' }] })
})

it('what others name like an id is looked through all the same', () => {
  const redact = (text: string) => text.replaceAll('\n0tSecret', 'MARK')
  const answers = { id: '\n0tSecret', data: '\n0tSecret' }
  const by = { clientId: 'c', name: 'n', version: '1' }
  const decided = { type: 'approval.decided', approvalId: 'a', decision: 'approved', by, answers } as const
  expect(redactEvent(decided, redact)).toEqual({ ...decided, answers: { id: 'MARK', data: 'MARK' } })
  const halved = (text: string) => redact(text).replaceAll('n0tSecret', 'MARK')
  expect(redactJson(JSON.stringify({ file: '\n0tSecret' }), halved)).toBe('{"file":"MARK"}')
})

it('the log of the server has marks', async () => {
  await using home = await tempDirectory()
  const { text } = createRedaction({ home: home.path, env: {} })
  openServerLog(home.path, text).write(`it failed with ${key}`)
  expect(readFileSync(join(home.path, 'logs', 'server.log'), 'utf8')).toMatch(/it failed with \[secret:groq:\w{8}\]\n$/)
})
