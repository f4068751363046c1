import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { expectValid } from '@parley/engine/test/support/valid-entries.ts'
import { type ApprovalPolicy, permits, type SandboxMode } from '@parley/protocol'
import { expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

it('what a check finds goes to the model, and the turn ends when it passes', async () => {
  await using place = testPlace()
  const model = scriptedModel(
    { text: 'Done.' },
    { calls: [{ name: 'shell', args: { command: 'touch made' } }] },
    { text: 'Now it is.' },
  )
  const { watched } = await place.talk({ model }, { sandbox: 'danger-full-access' })
  await watched.send('make it', { checks: { commands: ['echo looked; test -f made', 'echo fine'], rounds: 3 } })
  await watched.turnEnded()
  const shown = watched
    .items()
    .map(({ type, title, text, status }) => [type, type === 'agentMessage' ? text : title, status])
  const [first, second] = [1, 2].map((time) => [
    ['userMessage', `Checks, time ${time} of at most 4: the turn ends well when each exits with 0.`, 'completed'],
    ['commandExecution', 'echo looked; test -f made', time === 1 ? 'failed' : 'completed'],
    ['commandExecution', 'echo fine', 'completed'],
  ])
  expect(shown).toEqual([
    ['userMessage', 'make it', 'completed'],
    ['agentMessage', 'Done.', 'completed'],
    ...(first ?? []),
    ['commandExecution', 'touch made', 'completed'],
    ['agentMessage', 'Now it is.', 'completed'],
    ...(second ?? []),
  ])
  expect(JSON.stringify(model.requests[1]?.entries.at(-2))).toContain('looked')
  expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'completed' })
  for (const { entries } of model.requests) expectValid(entries)
})

const commands = ['ls', 'touch made', 'rm -rf made', 'curl -sS http://127.0.0.1:9', 'cat /etc/hostname']
const limits: readonly { readonly approvalPolicy: ApprovalPolicy; readonly sandbox: SandboxMode }[] = [
  { approvalPolicy: 'untrusted', sandbox: 'workspace-write' },
  { approvalPolicy: 'on-request', sandbox: 'read-only' },
  { approvalPolicy: 'on-request', sandbox: 'danger-full-access' },
]

it.each(limits)('a check is judged as a call of the model: $approvalPolicy, $sandbox', async (settings) => {
  await using place = testPlace()
  const steps = commands.flatMap((command) => [
    { calls: [{ name: 'shell', args: { command, timeout_ms: 1_800_000 } }] },
    { text: 'ok' },
  ])
  const { client, watched } = await place.talk({ model: scriptedModel(...steps) }, settings)
  const { conversationId } = watched
  for (const [index, command] of commands.entries()) {
    const first = watched.events.length
    await watched.send(command, { checks: { commands: [command], rounds: 0 } })
    for (const answered = new Set<string>(); ; ) {
      const asked = await watched.until(({ core }) => {
        if (core.turn === null && core.counts.turns > index) return 'over'
        return Object.keys(core.approvals).find((id) => !answered.has(id))
      })
      if (asked === 'over') break
      answered.add(asked)
      await client.request('approval/decide', { conversationId, approvalId: asked, decision: 'denied' })
    }
    const events = watched.events.slice(first).map(({ event }) => event)
    const judged = events.flatMap((event): unknown[] => {
      if (event.type === 'execution.started') return [{ by: event.decidedBy, payload: event.payloadHash }]
      if (event.type !== 'approval.requested') return []
      const { id: _, itemId: _item, ...asked } = event.approval
      return [asked]
    })
    expect(judged).toHaveLength(2)
    expect(judged[1]).toEqual(judged[0])
    const denied = events.some((event) => event.type === 'approval.decided' && !permits(event.decision))
    if (denied) expect(watched.state.core.lastTurn).toMatchObject({ failure: { code: 'checkDenied' } })
  }
})

it('a check with a secret in it, and checks of a turn that runs or of a review, are rejected', async () => {
  await using place = testPlace()
  const { client, summary } = await place.talk({ model: scriptedModel() })
  const checks = { commands: ['make'], rounds: 0 }
  const refused = async (more: object) =>
    await client.refused('conversation/sendMessage', {
      conversationId: summary.conversationId,
      input: [{ type: 'text', text: 'go' }],
      checks,
      ...more,
    })
  const key = `ghp_${'a1B2'.repeat(9)}`
  for (const more of [{ when: 'steer' }, { purpose: 'review' }, { checks: { commands: [`echo ${key}`], rounds: 0 } }])
    expect(await refused(more)).toMatchObject({ code: 'invalidParams', detail: { field: 'checks' } })
})
