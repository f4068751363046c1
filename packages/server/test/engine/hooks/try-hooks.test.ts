import { describe, expect, it } from 'vitest'
import { hookWorld } from './hook-world.ts'

describe('hooks of a folder', () => {
  it('are listed in their order', async () => {
    await using place = hookWorld()
    place.hook('Stop', 'exit 0')
    place.hook('PreToolUse', 'exit 0', 'required = true')
    const client = await place.start().connect()
    const { hooks } = await client.request('hook/list', { cwd: place.cwd })
    expect(hooks).toMatchObject([
      { name: 'h2', on: 'PreToolUse', source: 'user', required: true, runs: true },
      { name: 'h1', on: 'Stop', required: false },
    ])
  })

  it('can be tried with an example, in place of which one can give another', async () => {
    await using place = hookWorld()
    place.hook('PreToolUse', 'grep -q "rm x" && { echo no >&2; exit 2; }; exit 0')
    const client = await place.start().connect()
    const params = { cwd: place.cwd, on: 'PreToolUse' as const }
    expect(await client.request('hook/try', params)).toMatchObject({
      input: { tool_name: 'shell', command: 'ls', cwd: place.cwd },
      runs: [{ hook: { name: 'h1' }, outcome: 'passed', exitCode: 0 }],
    })
    const { runs } = await client.request('hook/try', { ...params, input: { command: 'rm x' } })
    expect(runs).toMatchObject([{ outcome: 'stopped', reason: 'no' }])
    expect((await client.request('hook/try', { ...params, name: 'other' })).runs).toEqual([])
  })
})
