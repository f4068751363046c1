import { waitUntil } from '@parley/testkit'
import { expect, test } from 'vitest'
import { createProgress } from '../../../src/mcp/tools/codex-turn.ts'

test('the last step is repeated while nothing happens', async () => {
  const told: unknown[] = []
  const progress = createProgress(7, (_method, params) => void told.push(params), 5)
  progress.note({ type: 'mcp_tool_call_begin', call_id: 'i', invocation: { server: 's', tool: 't', arguments: {} } })
  await waitUntil(() => told.length >= 3, { what: 'two repetitions' })
  progress.stop()
  expect(told.slice(0, 3)).toEqual([1, 2, 3].map((n) => ({ progressToken: 7, progress: n, message: 's: t' })))
})

test('a client without a progress token gets no progress', () => {
  const told: unknown[] = []
  const progress = createProgress(undefined, (_method, params) => void told.push(params), 5)
  progress.note({ type: 'task_started' })
  progress.stop()
  expect(told).toEqual([])
})

test('a step is shown with its escapes visible', () => {
  const told: unknown[] = []
  const progress = createProgress(7, (_method, params) => void told.push(params), 60_000)
  const invocation = { server: 'box', tool: 'send\x1b[2J\u202e', arguments: {} }
  progress.note({ type: 'mcp_tool_call_begin', call_id: 'i', invocation })
  progress.stop()
  expect(told).toEqual([{ progressToken: 7, progress: 1, message: 'box: send\\x1b[2J<U+202E>' }])
})
