import { join } from 'node:path'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { hookWorld } from './hook-world.ts'

const runs = (command: string) => [{ name: 'shell', args: { command } }]
const free = { sandbox: 'danger-full-access' } as const

describe('a hook before a call', () => {
  it('stops it with exit code 2, and the model reads the reason', async () => {
    await using place = hookWorld()
    place.hook('PreToolUse', 'grep -q "rm -r" && { echo "rm is not for you" >&2; exit 2; }; exit 0')
    const model = scriptedModel({ calls: [...runs('rm -r x'), ...runs('echo fine > out')] }, { text: 'ok' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(JSON.stringify(model.requests[1]?.entries)).toContain('Not run: Denied: rm is not for you [hook:h1].')
    expect(place.read('out')).toBe('fine\n')
    expect(watched.state.core.lastTurn?.outcome).toBe('completed')
  })

  it('reads what the call is on stdin', async () => {
    await using place = hookWorld()
    place.hook('PreToolUse', `cat > ${join(place.cwd, 'seen')}`)
    const { watched } = await place.talk({ model: scriptedModel({ calls: runs('true') }, { text: 'ok' }) }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(JSON.parse(place.read('seen'))).toMatchObject({
      hook_event_name: 'PreToolUse',
      cwd: place.cwd,
      tool_name: 'shell',
      tool_input: { command: 'true' },
      command: 'true',
      permission_mode: 'custom',
    })
  })

  it('asks nobody in a review: what it would have asked about is denied', async () => {
    await using place = hookWorld()
    place.hook('PreToolUse', `echo '{"hookSpecificOutput": {"permissionDecision": "ask"}}'`)
    const model = scriptedModel({ calls: runs('ls') }, { text: 'ok' })
    const { watched } = await place.talk({ model }, { sandbox: 'read-only' })
    await watched.send('go', { purpose: 'review' })
    await watched.turnEnded()
    expect(watched.items().find(({ type }) => type === 'commandExecution')).toMatchObject({
      status: 'denied',
      decision: { rule: { name: 'hook:h1' }, code: 'policyNever' },
    })
  })

  it('changes the call, which is asked about as it is then, and the model is told', async () => {
    await using place = hookWorld()
    const answer = { hookSpecificOutput: { updatedInput: { command: 'echo changed > out' } } }
    place.hook('PreToolUse', `echo '${JSON.stringify(answer)}'`)
    const model = scriptedModel({ calls: runs('echo written > out') }, { text: 'ok' })
    const { watched } = await place.talk({ model }, free)
    await watched.send('go')
    const approval = await watched.approval()
    expect(approval).toMatchObject({ detail: 'echo changed > out', rule: { name: 'hook:h1' } })
    expect(approval.decisions).toEqual(['approved', 'denied', 'abort'])
    await watched.decide('approved')
    await watched.turnEnded()
    expect(place.read('out')).toBe('changed\n')
    expect(JSON.stringify(model.requests[1]?.entries)).toContain('A hook changed this call')
  })
})
