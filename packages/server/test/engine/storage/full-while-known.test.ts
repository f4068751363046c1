import { countingHost } from '@parley/engine/test/support/counting-host.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { type Files, StorageError } from '@parley/journal'
import { faultyFiles } from '@parley/journal/testing'
import { describe, expect, it } from 'vitest'
import { hookWorld } from '../hooks/hook-world.ts'
import { testPlace } from '../support/test-server.ts'

const free = { sandbox: 'danger-full-access' } as const
const runs = (command: string) => [{ name: 'shell', args: { command } }]

/** A disk that is full for the first `times` writes with a text in them. */
function fullFor(text: string, times = 1) {
  const disk = { refused: 0 }
  const { files: whole } = faultyFiles(() => null)
  const files: Files = {
    ...whole,
    write(file, bytes) {
      if (disk.refused >= times || !bytes.includes(text)) return whole.write(file, bytes)
      disk.refused += 1
      throw new StorageError({ code: 'ENOSPC', operation: 'write', path: file.path })
    },
  }
  return { disk, files }
}

describe('on a disk that is full as something comes that only memory has', () => {
  it('a command keeps its outcome that has changed more files than an event names', async () => {
    await using place = testPlace()
    const { disk, files } = fullFor('[{"path"', 2)
    const { host, started } = countingHost()
    const model = scriptedModel({ calls: runs('for i in $(seq 1 150); do echo $i > f$i; done; echo made') })
    const { watched } = await place.talk({ files, host, model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(disk.refused).toBe(2)
    expect(started).toHaveLength(1)
    expect(watched.items()[1]).toMatchObject({ status: 'completed', exitCode: 0, output: { head: 'made\n' } })
    expect(watched.events.find(({ event }) => event.type === 'files.changed')?.event).toMatchObject({ count: 150 })
  })

  it('an interrupt ends the turn whose list of changed files cannot be kept', async () => {
    await using place = testPlace()
    const { files } = fullFor('[{"path"', Number.POSITIVE_INFINITY)
    const model = scriptedModel({ calls: runs('for i in $(seq 1 150); do echo $i > f$i; done; echo made') })
    const { watched, client } = await place.talk({ files, model }, free)
    await watched.send('go')
    await client.notice(({ code }) => code === 'storageFailed')
    await client.request('conversation/interrupt', { conversationId: watched.conversationId })
    await watched.turnEnded()
    expect(watched.items()[1]).toMatchObject({ status: 'completed', output: { head: 'made\n' } })
    expect(watched.state.core.lastTurn).toMatchObject({ outcome: 'interrupted' })
  })

  it.each([
    ['SessionStart', 'hooks.started', 'echo "SessionStart says so"'],
    ['SessionStart', 'hook.ran', 'echo "SessionStart says so"'],
    ['PreToolUse', 'hook.ran', `echo '{"hookSpecificOutput":{"additionalContext":"PreToolUse says so"}}'`],
    ['PostToolUse', 'hook.ran', `echo '{"hookSpecificOutput":{"additionalContext":"PostToolUse says so"}}'`],
  ] as const)('a hook at %s runs once and is heard, when %s is refused', async (on, refused, says) => {
    await using place = hookWorld()
    place.hook(on, `echo {} >> seen; ${says}`)
    place.hook(on, `echo {} >> seen`)
    const { disk, files } = fullFor(`"${refused}"`)
    const model = scriptedModel({ calls: runs('true') }, { text: 'done' })
    const { watched } = await place.talk({ files, model }, free)
    await watched.send('go')
    await watched.turnEnded()
    expect(disk.refused).toBe(1)
    expect(place.seen()).toHaveLength(2)
    expect(JSON.stringify(model.requests.at(-1)?.entries)).toContain(`${on}) says:\\n${on} says so`)
  })

  it('a hook that denies a question denies it once there is room', async () => {
    await using place = hookWorld()
    place.hook('PermissionRequest', 'echo no >&2; exit 2')
    const { disk, files } = fullFor('"approval.decided"')
    const model = scriptedModel({ calls: runs('touch made') }, { text: 'done' })
    const { watched } = await place.talk({ files, model }, { ...free, approvalPolicy: 'untrusted' })
    await watched.send('go')
    await watched.turnEnded()
    expect(disk.refused).toBe(1)
    expect(watched.items()[1]).toMatchObject({ status: 'denied', decision: { by: { name: 'hook h1' } } })
  })

  it('a summary is asked for once', async () => {
    await using place = testPlace()
    const { disk, files } = fullFor('{"messages":[', 2)
    const model = scriptedModel({ text: 'word '.repeat(2000) }, { text: 'A summary.' })
    const { client, watched } = await place.talk({ files, model, facts: { contextWindow: 100_000 } })
    const { conversationId } = watched
    await watched.send('hi')
    await watched.turnEnded()
    await client.request('conversation/compact', { conversationId })
    await watched.turnEnded()
    expect(disk.refused).toBe(2)
    expect(model.requests).toHaveLength(2)
    expect(watched.items().at(-1)).toMatchObject({ type: 'contextCompaction', status: 'completed', text: 'A summary.' })
  })
})
