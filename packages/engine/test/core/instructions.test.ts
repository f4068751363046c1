import { describe, expect, it } from 'vitest'
import { composeInstructions, describeSessionContext } from '../../src/core/instructions.ts'

describe('instructions', () => {
  it('have the general files before the specific ones, each with its path', () => {
    const files = [
      { path: '/home/AGENTS.md', text: 'Be kind.\n' },
      { path: '/repo/AGENTS.md', text: '\nUse tabs.\n' },
    ]
    expect(composeInstructions('Base.\n', files)).toBe(
      'Base.\n\n# Instructions from /home/AGENTS.md\n\nBe kind.\n\n# Instructions from /repo/AGENTS.md\n\nUse tabs.',
    )
  })

  it('are the base alone without files', () => {
    expect(composeInstructions('Base.', [])).toBe('Base.')
  })
})

describe('the surroundings', () => {
  const around = {
    cwd: '/repo',
    date: '2025-01-02',
    platform: 'linux',
    shell: '/bin/bash',
    gitBranch: 'main',
    limits: ['Sandbox: read-only; approval policy: never', 'Also writable: /tmp/a, /tmp/b'],
  }

  it('are told in full', () => {
    expect(describeSessionContext(around)).toMatchInlineSnapshot(`
      "<environment>
      Working directory: /repo
      Git branch: main
      Date: 2025-01-02
      Platform: linux, shell: /bin/bash
      Sandbox: read-only; approval policy: never
      Also writable: /tmp/a, /tmp/b
      </environment>"
    `)
  })

  it('leave out what is not there', () => {
    const text = describeSessionContext({ ...around, gitBranch: null, limits: [] })
    expect(text).toContain('Not a git repository.')
    expect(text).toMatch(/shell: .*\n<\/environment>$/)
  })
})
