import { expect, test } from 'vitest'
import { isSameNote, mcpTable, whyTable } from '../../src/notices/notice.ts'

test('tool servers are listed with their state, and what is wrong with those that do not run', () => {
  const stderr = 'one\n\ntwo\nthree\nfour\n'
  const servers = [
    { name: 'git', state: 'ready', tools: ['log'], restarts: 0, stderr },
    { name: 'db', state: 'failed', tools: [], restarts: 2, error: 'it ended with exit code 3', stderr },
  ] as const
  expect(mcpTable({ servers: servers.map((server) => ({ ...server, tools: [...server.tools] })) })).toMatchObject({
    rows: [
      ['git', 'ready · 1 tool'],
      ['db', 'failed · started again 2 times'],
      ['', 'it ended with exit code 3'],
      ['', 'two'],
      ['', 'three'],
      ['', 'four'],
    ],
  })
  expect(mcpTable({ servers: [] })).toMatchObject({ title: expect.stringContaining('[mcp_servers.NAME]'), rows: [] })
})

test('why a call ran is a table in which nothing hides', () => {
  const rows = [{ about: 'call', text: `shell: a\x1b[2J\n\u202eb${' '.repeat(90)}c` }]
  const item = { id: 'i-1', tool: 'shell', title: 'a\x1b[2J', status: 'completed' }
  expect(whyTable({ conversationId: 'c', calls: 1, item, rows })).toEqual({
    kind: 'table',
    title: 'Why a\\x1b[2J',
    rows: [['call', 'shell: a\\x1b[2J ⏎ <U+202E>b ⟨90 spaces⟩ c']],
  })
})

test('a note says nothing new after one of the same text', () => {
  const note = { kind: 'note', level: 'info', text: 'Not open yet.' } as const
  expect(isSameNote(note, { ...note, level: 'warning' })).toBe(true)
  expect(isSameNote(note, { ...note, text: 'Open.' })).toBe(false)
  expect(isSameNote(note, undefined)).toBe(false)
})
