import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeFiles, type Owner, thisProcess } from '@parley/journal'
import { listenSocket } from '@parley/rpc'
import { describe, expect, it } from 'vitest'
import { liveElsewhere } from '../../src/load/writer-locks.ts'

async function refusalFor(change: (owner: Owner, path: string) => Owner | null, isListening: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-owner-'))
  const path = join(folder, 's')
  const listener = isListening ? await listenSocket({ path, onConnection: (it) => void it.close() }) : null
  if (!isListening) writeFileSync(path, '')
  const owner = change(thisProcess(nodeFiles, { program: 'parley/test', socket: path }), path)
  const { message, data } = await liveElsewhere('c1', owner)
  await listener?.close()
  rmSync(folder, { recursive: true })
  return { message, data, path }
}

describe('the rejection of a conversation that is live elsewhere', () => {
  it('offers the socket of its owner', async () => {
    const { message, data, path } = await refusalFor((owner) => owner, true)
    expect(data).toEqual({ code: 'liveElsewhere', conversationId: 'c1', pid: process.pid, socket: path })
    expect(message).toContain(`is open in process ${process.pid}. Join it there`)
  })

  it('offers no socket when nothing listens on it', async () => {
    const { message, data } = await refusalFor((owner) => owner, false)
    expect(data).toEqual({ code: 'liveElsewhere', conversationId: 'c1', pid: process.pid, socket: null })
    expect(message).not.toContain('Join')
  })

  it('does not name a process that no longer runs', async () => {
    const { data } = await refusalFor((owner) => ({ ...owner, startTime: '1' }), true)
    expect(data).toEqual({ code: 'liveElsewhere', conversationId: 'c1', socket: null })
    expect((await refusalFor(() => null, true)).data).toEqual(data)
  })
})
