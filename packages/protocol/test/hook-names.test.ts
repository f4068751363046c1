import { describe, expect, it } from 'vitest'
import { hookMatches } from '../src/modes/hook-names.ts'

describe('the matcher of a hook', () => {
  it.each([
    [undefined, 'shell'],
    ['*', 'shell'],
    ['', 'shell'],
    ['shell', 'shell'],
    ['Bash', 'shell'],
    ['Edit|Write', 'apply_patch'],
    ['Write', 'write_file'],
    ['mcp__github__.*', 'mcp__github__push'],
  ])('%j takes %s', (matcher, tool) => {
    expect(hookMatches(matcher, 'PreToolUse', tool)).toBe(true)
  })

  it.each([
    ['she', 'shell'],
    ['Bash', 'read_file'],
    ['bash', 'shell'],
  ])('%j does not take %s', (matcher, tool) => {
    expect(hookMatches(matcher, 'PreToolUse', tool)).toBe(false)
  })

  it('compares other moments by their kind alone', () => {
    expect(hookMatches('resume', 'SessionStart', 'resume')).toBe(true)
    expect(hookMatches('Bash', 'SessionStart', 'shell')).toBe(false)
  })
})
