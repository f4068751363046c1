import { describe, expect, it } from 'vitest'
import { narrowingBySkills } from '../../src/decision/skill-tools.ts'
import { command, mcp, other, part, patch, read } from './sample-facts.ts'

const git = command([part(['git', 'push'])])
const both = command([part(['git', 'push']), part(['rm', 'x'])])
const edit = patch({ '/work/a': {} })

function fits(facts: Parameters<typeof narrowingBySkills>[0], ...allowedTools: string[]): boolean {
  return narrowingBySkills(facts, [{ name: 'one', allowedTools }]) === null
}

describe('a skill that names tools', () => {
  it.each([
    ['any command', git, 'Bash'],
    ['any command, by our name', git, 'shell'],
    ['any command, by a star', git, 'Bash(*)'],
    ['a command with any words after it', git, 'Bash(git:*)'],
    ['a command with any words after it, as Claude Code writes it now', git, 'Bash(git push *)'],
    ['exactly this command', git, 'Bash(git push)'],
    ['changes of files', edit, 'Edit'],
    ['changes of files, by our name', edit, 'apply_patch'],
    ['a tool of an MCP server', mcp('git', 'push'), 'mcp__git__push'],
    ['an MCP server', mcp('git', 'push'), 'mcp__git'],
  ])('names %s', (_, facts, tool) => {
    expect(fits(facts, 'Read', tool)).toBe(true)
  })

  it.each([
    ['a command that begins with other words', git, 'Bash(npm:*)'],
    ['a command with more words than it names', git, 'Bash(git)'],
    ['a command of which one part is another', both, 'Bash(git:*)'],
    ['a script that is not understood', command([], { understood: false }), 'Bash(git:*)'],
    ['changes of files by a pattern', edit, 'Edit(src/**)'],
    ['another MCP server', mcp('git', 'push'), 'mcp__gitlab'],
    ['anything by an empty list', git, ''],
  ])('does not name %s', (_, facts, tool) => {
    expect(fits(facts, tool)).toBe(false)
  })

  it('says nothing of look-ups', () => {
    const safe = command([part(['ls'], { knownSafe: true })])
    for (const facts of [read('/work/a'), other(true), mcp('git', 'log', true), safe]) expect(fits(facts)).toBe(true)
  })

  it('leaves alone what another skill in force names', () => {
    const skills = [
      { name: 'one', allowedTools: ['Read'] },
      { name: 'two', allowedTools: ['Bash'] },
    ]
    expect(narrowingBySkills(git, skills)).toBeNull()
    expect(narrowingBySkills(edit, skills)?.reason).toContain('(one, two)')
    expect(narrowingBySkills(edit, [])).toBeNull()
  })
})
