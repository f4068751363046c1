import { countingHost } from '@parley/engine/test/support/counting-host.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { type Files, nodeFiles, StorageError } from '@parley/journal'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

/** A disk that reports, from some moment on, that it could not keep what was written to a log. */
function forgetfulDisk(code = 'EIO') {
  const disk = { failing: false, attempts: 0 }
  const files: Files = {
    ...nodeFiles,
    sync(file) {
      if (!disk.failing || !file.path.endsWith('.jsonl')) return nodeFiles.sync(file)
      disk.attempts++
      return Promise.reject(new StorageError({ code, operation: 'sync', path: file.path }))
    },
  }
  return { disk, files }
}

describe('a log whose sync fails', () => {
  it.each(['EIO', 'EDQUOT', 'EROFS', 'ENOLCK'])(
    'stops the conversation before a command starts, reports %s once and is not synced again',
    async (code) => {
      await using place = testPlace()
      const { disk, files } = forgetfulDisk(code)
      const { host, started } = countingHost()
      const model = scriptedModel(() => {
        disk.failing = true
        return { calls: [{ name: 'shell', args: { command: 'touch x' } }] }
      })
      const { client, watched, server } = await place.talk({ files, host, model }, { sandbox: 'danger-full-access' })
      const { conversationId } = watched
      await watched.send('go')
      const notice = await client.notice(({ code }) => code === 'storageFailed')
      expect(notice.message).toContain(
        'The conversation stops here so that nothing unsaved is shown. Once the disk works,',
      )
      disk.failing = false
      expect(
        await client.refused('conversation/sendMessage', {
          conversationId,
          input: [{ type: 'text', text: 'more' }],
          when: 'queue',
        }),
      ).toMatchObject({
        code: 'storageFailed',
        detail: { errno: code },
      })
      expect([started, disk.attempts, client.notices.length]).toEqual([[], 1, 1])
      await expect(server.close()).rejects.toThrow(code)

      const again = await place.start().connect()
      const summary = await again.request('conversation/resume', { conversationId })
      expect(summary.recovered).toContain('started, end unknown: touch x')
    },
  )

  it('delivers no end of a turn that it may have lost', async () => {
    await using place = testPlace()
    const { disk, files } = forgetfulDisk()
    const model = scriptedModel(() => {
      disk.failing = true
      return { text: 'ok' }
    })
    const { client, watched } = await place.talk({ files, model })
    await watched.send('go')
    await client.notice(({ code }) => code === 'storageFailed')
    expect(watched.story().at(-1)).toBe('model.responded')
    expect(await client.refused('conversation/stream', { conversationId: watched.conversationId })).toMatchObject({
      code: 'storageFailed',
    })
  })
})
