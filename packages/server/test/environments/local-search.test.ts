import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { standInSandboxes } from '@parley/exec-server/test/support/stand-in-sandboxes.ts'
import { noSandboxes, openHost, openSandboxes, type Sandboxes } from '@parley/host'
import { tempWorkspace } from '@parley/testkit'
import { diskFiles, searchText } from '@parley/workspace'
import { localRipgrep } from '@parley/workspace/testing'
import { rgPath } from '@vscode/ripgrep'
import { describe, expect, it } from 'vitest'

const real = openSandboxes({ cacheFile: null })
const { enforcement, reason } = await real.report()

async function searching(sandboxes: Sandboxes) {
  await using stack = new AsyncDisposableStack()
  const files = { 'work/a.txt': 'needle here', 'out/key': 'needle of a secret', 'out/other': 'needle outside' }
  const { path: root } = stack.use(await tempWorkspace({ files }))
  const at = (name: string) => join(root, name)
  const host = stack.use(openHost())
  const secrets = () => Promise.resolve([at('out/key')])
  const ripgrep = localRipgrep({ host, sandboxes, secrets, ripgrep: rgPath })
  const disposal = stack.move()
  return {
    at,
    /** As the tool does it, of a path that policy has judged. */
    search: (name: string, pattern = 'needle', signal?: AbortSignal) =>
      searchText({
        ...{ files: diskFiles, ripgrep, cwd: at('work'), path: at(name), shownPath: name, pattern },
        ...(signal === undefined ? {} : { signal }),
      }),
    /** As if a link had led it to `path` from the folder it was to look at. */
    async found(path: string) {
      let text = ''
      await ripgrep.run({
        ...{ command: [rgPath, 'needle', path], cwd: at('out'), looksAt: at('work'), timeLimitMs: 10_000 },
        onOutput(chunk) {
          text += chunk.toString()
          return true
        },
      })
      return text
    },
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  }
}

describe('our own search', () => {
  it('runs without limits where nothing can set them', async () => {
    await using place = await searching(noSandboxes('none'))
    expect(await place.search('work')).toMatchObject({ text: 'a.txt\n1:needle here' })
  })

  it('is not run where the limits cannot be set though they should', async () => {
    const wrap = () => {
      throw new Error('no namespace left')
    }
    for (const sandboxes of [standInSandboxes({ refusal: 'no namespace left' }), standInSandboxes({ wrap })]) {
      await using place = await searching(sandboxes)
      expect(await place.search('work')).toMatchObject({
        kind: 'failed',
        message: expect.stringContaining('no namespace left'),
      })
    }
  })
})

describe.skipIf(enforcement !== 'full')(
  `our own search in the sandbox (needs full enforcement; here: ${reason})`,
  () => {
    it('finds what it found without, below /tmp too, and says when there is nothing', async () => {
      await using place = await searching(real)
      expect(await place.search('work')).toMatchObject({ text: 'a.txt\n1:needle here', complete: true })
      expect(await place.search('work/a.txt')).toMatchObject({ shown: 1 })
      expect(await place.search('out/other')).toMatchObject({ shown: 1 })
      expect(await place.search('work', 'nothing like it')).toMatchObject({
        kind: 'searched',
        text: 'No matches found.',
      })
      expect(await place.search('work', '(')).toMatchObject({ kind: 'failed' })
    })

    it('reads no secret that it was not let into, wherever a link leads', async () => {
      await using place = await searching(real)
      symlinkSync(place.at('out/key'), place.at('work/k'))
      expect(await place.search('work/k')).toMatchObject({ kind: 'failed' })
      expect(await place.found(place.at('out/key'))).toBe('')
      expect(await place.found(place.at('out/other'))).toContain('needle outside')
      expect(await place.search('out/key')).toMatchObject({ shown: 1 })
    })

    it('stops when it is told to', async () => {
      await using place = await searching(real)
      mkdirSync(place.at('work/many'))
      for (let count = 0; count < 50; count++) writeFileSync(place.at(`work/many/${count}`), 'needle\n'.repeat(1000))
      const controller = new AbortController()
      const search = place.search('work', 'needle', controller.signal)
      controller.abort()
      expect(await search).toMatchObject({ kind: 'failed', message: 'The search was interrupted.' })
    })
  },
)
