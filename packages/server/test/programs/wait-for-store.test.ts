import type { LogEvent } from '@parley/engine/src/metrics/event-log.ts'
import { expect, it, vi } from 'vitest'
import { readServerArguments } from '../../src/programs/arguments.ts'
import { waitForStore } from '../../src/programs/server/wait-for-store.ts'

it('a server that logs JSON says so of a store that is away, too, with the reason in its own log', async () => {
  const args = readServerArguments(['--listen', 'unix:/nowhere/socket', '--log-format', 'json'])
  const events: Parameters<LogEvent>[0][] = []
  const lines: string[] = []
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    await using wait = waitForStore(args, {
      writeLog: (line) => lines.push(line),
      logEvent: (entry) => events.push(entry),
    })
    wait.onAway('The store nats://a cannot be reached.')
  } finally {
    expect(stderr).not.toHaveBeenCalled()
    stderr.mockRestore()
  }
  expect(events.map(({ event }) => event)).toEqual(['store.away', 'store.back'])
  expect(lines).toEqual([
    'The store nats://a cannot be reached. Waiting for it; no client is served until then.',
    'The store answers.',
  ])
})
