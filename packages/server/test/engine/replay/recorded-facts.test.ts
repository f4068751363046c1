import { cpSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeSandboxes } from '@parley/engine/test/support/fake-sandboxes.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import type { Watched } from '@parley/engine/test/support/test-client.ts'
import { withChecksum } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { hookWorld } from '../hooks/hook-world.ts'
import { fullAccess, type TestPlace } from '../support/test-server.ts'

const shell = (command: string) => ({ calls: [{ name: 'shell', args: { command } }] })

/** Returns the log as a program wrote it that had all of this in sentences only. */
function withoutFields(line: string): string {
  const { crc: _crc, ...envelope } = JSON.parse(line, (key, value: unknown) =>
    /^(?:hints|notRun|hidden|unmakeable|knownTools|askedAgain)$/.test(key) ? undefined : value,
  )
  const { event } = envelope
  if (event?.item?.type === 'notice') {
    const { why: _why, rule: _rule, ...item } = event.item
    envelope.event = { ...event, item }
  }
  return withChecksum(JSON.stringify(envelope)).text
}

/** Replays the log of a conversation as it is, and as an earlier program wrote it. */
async function replays(place: TestPlace, { conversationId }: Watched) {
  const file = join(place.root, 'earlier.jsonl')
  cpSync(place.path(conversationId, 'sideFiles'), join(place.root, 'earlier.files'), { recursive: true })
  const [header = '', ...lines] = place.logLines(conversationId)
  const earlier = lines.map(withoutFields)
  writeFileSync(file, [header, ...earlier].map((line) => `${line}\n`).join(''))
  const client = await place.start({ ceiling: fullAccess }).connect()
  return {
    isChanged: earlier.join('\n') !== lines.join('\n'),
    now: await client.request('replay/run', { conversation: conversationId }),
    earlier: await client.request('replay/run', { file }),
  }
}

const same = { isChanged: true, now: { difference: null, left: 0 }, earlier: { difference: null, left: 0 } }

describe('a log has as fields, and a replay finds in the sentences of an earlier log,', () => {
  it('the tools of that time and the sentences that follow a result', async () => {
    await using place = hookWorld()
    writeFileSync(join(place.root, 'notes'), 'mine\n')
    linkSync(join(place.root, 'notes'), join(place.cwd, 'h'))
    const answer = { hookSpecificOutput: { updatedInput: { command: 'echo more >> h' } } }
    place.hook('PreToolUse', `grep -q swap && echo '${JSON.stringify(answer)}'; exit 0`)
    const list = { calls: [{ name: 'list_dir', args: {} }] }
    const unknown = { calls: [{ name: 'telnet', args: {} }] }
    const model = scriptedModel(unknown, shell('swap'), ...Array(5).fill(list), { text: 'ok' })
    const { watched, server } = await place.talk({ model }, { sandbox: 'danger-full-access' })
    await watched.send('go')
    await watched.decide('approved')
    await watched.turnEnded()
    await server.close()
    const calls = watched.items().filter(({ type }) => type === 'toolCall' || type === 'commandExecution')
    expect(calls[0]).toMatchObject({ knownTools: expect.arrayContaining(['shell', 'list_dir']) })
    expect(calls[1]).toMatchObject({ hints: [{ about: 'writtenThrough' }, { about: 'hookChange' }] })
    expect(calls[5]).not.toHaveProperty('hints')
    expect(calls[6]).toMatchObject({
      hints: [{ about: 'repetition', text: expect.stringMatching(/^\(This was the same call 5 times .*\)$/) }],
      modelText: expect.stringMatching(/\n\(This was the same call 5 times .*\)$/),
    })
    expect(await replays(place, watched)).toMatchObject(same)
  })

  it('what the sandbox blocked, and the end of its second run', async () => {
    await using place = hookWorld()
    const command = `if mkdir once 2>/dev/null; then echo "fatal: cannot lock '.git/x': no"; exit 3; fi`
    const model = scriptedModel(shell(command), { text: 'ok' })
    const { watched, server } = await place.talk({ model, ...fakeSandboxes() }, { approvalPolicy: 'on-failure' })
    await watched.send('go')
    const { itemId } = await watched.approval()
    expect(watched.state.core.open[itemId]?.failedExecution).toMatchObject({
      hints: [{ about: 'sandboxBlock', text: expect.stringMatching(/^\(The sandbox: .*\)$/) }],
    })
    await watched.decide('approved')
    await watched.turnEnded()
    await server.close()
    expect(watched.items()[1]).toMatchObject({ status: 'completed', hints: [{ about: 'secondRun' }] })
    expect(await replays(place, watched)).toMatchObject(same)
  })

  it('why a yes did not count, and the reason of the client that stopped the turn', async () => {
    await using place = hookWorld()
    const cwd = join(place.root, 'other')
    mkdirSync(cwd)
    const model = scriptedModel(shell('touch made'), shell('touch more'))
    const { client, watched, server } = await place.talk({ model }, { approvalPolicy: 'untrusted' })
    const { conversationId } = watched
    await watched.send('go')
    const { id } = await watched.approval()
    await client.request('conversation/resume', { conversationId, overrides: { cwd } })
    await watched.decide('approved')
    const again = await watched.until(({ core }) => Object.values(core.approvals).find((one) => one.id !== id))
    expect(again).toMatchObject({ askedAgain: 'planChanged' })
    await client.request('approval/decide', { conversationId, approvalId: again.id, decision: 'approved' })
    await watched.until(({ core }) => Object.values(core.approvals).find((one) => one.title.includes('more')))
    await client.request('conversation/interrupt', { conversationId, why: 'SIGTERM came.' })
    await watched.turnEnded()
    await server.close()
    expect(watched.items().slice(-2)).toMatchObject([
      { type: 'commandExecution', status: 'interrupted', notRun: true },
      { type: 'notice', code: 'interrupted', title: 'SIGTERM came.', why: 'SIGTERM came.' },
    ])
    expect(await replays(place, watched)).toMatchObject(same)
  })
})
