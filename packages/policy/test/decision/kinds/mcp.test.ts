import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesMcpPattern } from '../../../src/decision/rules/mcp-pattern.ts'

const cases: readonly (readonly [string, string, string, boolean])[] = [
  ['github/create_issue', 'github', 'create_issue', true],
  ['github/create_issue', 'github', 'create_issues', false],
  ['github/*', 'github', 'delete/everything', true],
  ['github/*', 'github2', 'a', false],
  ['*/read_*', 'files', 'read_text', true],
  ['*/read_*', 'files', 'unread_text', false],
  ['git*/a*b*c', 'github', 'aXbYc', true],
  ['git*/a*b*c', 'github', 'acb', false],
  ['s/a*a', 's', 'a', false],
  ['s/.*', 's', 'anything', false],
]

describe('an mcp pattern', () => {
  it.each(cases)('%s fits %s/%s: %s', (pattern, server, name, fits) => {
    expect(matchesMcpPattern(pattern, { server, name })).toBe(fits)
  })

  it('matches as the equivalent regular expression does', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), minLength: 1, maxLength: 6 })
    const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    fc.assert(
      fc.property(letters, names, (pattern, name) => {
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`)
        expect(matchesMcpPattern(`s/${pattern}`, { server: 's', name })).toBe(expression.test(name))
      }),
    )
  })
})
