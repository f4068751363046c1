import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@parley/engine/src/ports/clock-and-ids.ts'
import { scriptedModel } from '@parley/engine/test/support/scripted-model.ts'
import { describe, expect, it } from 'vitest'
import { testPlace } from './support/test-server.ts'

describe('files that a path may mean', () => {
  it('are those that git does not ignore, the best first, and are listed anew for a new path', async () => {
    await using place = testPlace()
    for (const folder of ['src', 'lib']) mkdirSync(join(place.cwd, folder))
    for (const file of ['src/cache.ts', 'src/a b.ts', 'lib/cache.js', 'notes.md'])
      writeFileSync(join(place.cwd, file), '')
    writeFileSync(join(place.cwd, '.gitignore'), 'lib\n')
    let passedMs = 0
    const clock = { ...systemClock, now: () => Date.now() + passedMs }
    const { client, watched } = await place.talk({ model: scriptedModel(), clock })
    const find = (query: string) =>
      client.request('conversation/findFiles', { conversationId: watched.conversationId, query })
    expect(await find('cach')).toEqual({ paths: ['src/cache.ts'], isWhole: true })
    expect((await find('')).paths).toEqual(['src/', 'notes.md', '.gitignore'])
    expect((await find('src/')).paths).toEqual(['src/a b.ts', 'src/cache.ts'])
    writeFileSync(join(place.cwd, 'late.md'), '')
    expect((await find('late')).paths).toEqual([])
    passedMs = 10_000
    expect((await find('')).paths).toContain('late.md')
  })
})
