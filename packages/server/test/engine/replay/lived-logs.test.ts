import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testPlace } from '../support/test-server.ts'

const folder = join(import.meta.dirname, '../../fixtures/lives')
const logs = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))

describe('a replay of a conversation whose user interrupts, whose clients leave and whose servers are killed', () => {
  it.each(logs)('is the same: %s', async (name) => {
    await using place = testPlace()
    const file = join(place.root, name)
    cpSync(join(folder, name), file)
    cpSync(join(folder, 'files'), file.replace(/\.jsonl$/, '.files'), { recursive: true })
    const client = await place.start().connect()
    const { difference, events, hashes, left } = await client.request('replay/run', { file })
    expect({ difference, left }).toEqual({ difference: null, left: 0 })
    expect([events > 8, hashes > 0]).toEqual([true, true])
  })
})
