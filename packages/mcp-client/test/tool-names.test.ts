import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offeredNames } from '../src/settings.ts'

const parts = fc.record({ server: fc.string({ minLength: 1 }), tool: fc.string({ minLength: 1 }) })
const sets = fc.uniqueArray(parts, { selector: ({ server, tool }) => JSON.stringify([server, tool]), maxLength: 30 })

describe('the names of tools for the model', () => {
  it('are mcp__SERVER__TOOL with replaced characters that providers reject', () => {
    expect(offeredNames([{ server: 'my.docs', tool: 'read/page one' }])).toEqual(['mcp__my_docs__read_page_one'])
  })

  it('are accepted by every provider and unique', () => {
    fc.assert(
      fc.property(sets, (tools) => {
        const names = offeredNames(tools)
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(new Set(names).size).toBe(tools.length)
      }),
    )
  })

  it('do not depend on the order', () => {
    fc.assert(
      fc.property(sets, (tools) => {
        expect(offeredNames(tools.toReversed()).toReversed()).toEqual(offeredNames(tools))
      }),
    )
  })

  it('end with a hash when two would be equal', () => {
    const names = offeredNames([
      { server: 'a__b', tool: 'c' },
      { server: 'a', tool: 'b__c' },
      { server: 'a', tool: 'd' },
    ])
    expect(names).toEqual([
      expect.stringMatching(/^mcp__a__b__c_[0-9a-f]{8}$/),
      expect.stringMatching(/^mcp__a__b__c_[0-9a-f]{8}$/),
      'mcp__a__d',
    ])
    expect(names[0]).not.toBe(names[1])
  })

  it('are distinct from a tool that is called what another one hashes to', () => {
    const twins = [
      { server: 'a__b', tool: 'c' },
      { server: 'a', tool: 'b__c' },
    ]
    const [first = '', second = ''] = offeredNames(twins)
    const names = offeredNames([...twins, { server: 'a', tool: first.replace('mcp__a__', '') }])
    expect(names[2]).toBe(first)
    expect(names[1]).toBe(second)
    expect(new Set(names).size).toBe(3)
  })
})
