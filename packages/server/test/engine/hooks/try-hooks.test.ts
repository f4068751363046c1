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

  it('show no secret when they are tried', async () => {
    await using place = hookWorld()
    const secret = `sk-ant-api03-${'a1B2c3D4'.repeat(10)}`
    place.hook('PreToolUse', `echo '{"systemMessage": "${secret}", "decision": "block", "reason": "\\"${secret}\\""}'`)
    const client = await place.start().connect()
    const { runs } = await client.request('hook/try', { cwd: place.cwd, on: 'PreToolUse' })
    expect(runs).toMatchObject([
      {
        outcome: 'stopped',
        message: expect.stringMatching(/^\[secret:anthropic:\w+\]$/),
        reason: expect.stringMatching(/^"\[secret:anthropic:\w+\]"$/),
      },
    ])
    expect(JSON.stringify(runs)).not.toContain(secret)
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
