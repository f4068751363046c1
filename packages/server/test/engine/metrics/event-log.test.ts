import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createJsonLog, kindOfFault, logConversation, logLevels } from '@parley/engine/src/metrics/event-log.ts'
import { expect, it } from 'vitest'

it('the log’s events, with their levels, are those of docs/operating.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/operating.md'), 'utf8')
  const rows = page.matchAll(/^\| (`[\w.`, ]+`) \| (info|warn|error) \|/gm)
  const listed = [...rows].flatMap(([, names = '', level]) =>
    [...names.matchAll(/`([\w.]+)`/g)].map(([, name]) => [name, level]),
  )
  expect(Object.fromEntries(listed)).toEqual(logLevels)
})

it('an entry is one line of JSON', () => {
  const lines: string[] = []
  const log = createJsonLog({ now: () => 0, pid: 7, write: (line) => lines.push(line) })
  log({
    event: 'fault',
    conversation: 'c-1',
    ...kindOfFault(Object.assign(new TypeError('a\nsecret'), { code: 'EIO' })),
  })
  expect(lines).toEqual([
    '{"time":"1970-01-01T00:00:00.000Z","level":"error","event":"fault","pid":7,"conversation":"c-1","error":"TypeError","code":"EIO"}\n',
  ])
})

it('nothing that people or programs wrote is logged of a fault', () => {
  const hostile = Object.assign(new Error('secret'), { code: 'two words: secret' })
  expect([hostile, 'secret', { secret: 1 }, null].map(kindOfFault)).toEqual([
    { error: 'Error' },
    { error: 'string' },
    { error: 'object' },
    { error: 'object' },
  ])
})

it('a decision is logged with its user, and what does not concern an operator is not', () => {
  const logged: unknown[] = []
  const take = logConversation('c-1', (entry) => logged.push(entry))
  const by = { clientId: 'cl-1', name: 'parley', title: 'secret', user: 'ada' }
  take({ type: 'approval.decided', approvalId: 'ap-1', decision: 'approved', by })
  take({ type: 'item.delta', itemId: 'i-1', text: 'secret' })
  expect(logged).toEqual([
    { event: 'conversation.opened', conversation: 'c-1' },
    { event: 'approval.decided', conversation: 'c-1', decision: 'approved', user: 'ada' },
  ])
})
