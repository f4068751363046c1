import type { Facts } from './facts.ts'
import type { CommandWords } from './kinds/command/facts.ts'
import type { Narrowing } from './narrow.ts'

/** Skill in force that names tools in its front matter. */
export interface NarrowingSkill {
  readonly name: string
  /** Tools as the open form of skills writes them: `Read`, `Bash(git:*)`, `mcp__server__tool`, or names of our own. */
  readonly allowedTools: readonly string[]
}

/**
 * Returns the demand to ask about a call with effects that no skill in force names. Null for a named call, for a
 * look-up, and without a skill that names tools. It never gives a right.
 */
export function narrowingBySkills(facts: Facts, skills: readonly NarrowingSkill[]): Narrowing | null {
  if (skills.length === 0 || isLookUp(facts)) return null
  const named = skills.flatMap(({ allowedTools }) => allowedTools.map(readAllowedTool))
  if (named.some((entry) => fits(entry, facts))) return null
  const names = skills.map(({ name }) => name).join(', ')
  const reason = `the skill in use (${names}) does not name it among its allowed-tools`
  return { verdict: 'ask', rule: { name: 'builtin:skill-tools' }, reason }
}

function isLookUp(facts: Facts): boolean {
  switch (facts.kind) {
    case 'read':
    case 'question':
    case 'proposal':
      return true
    case 'command':
      return facts.knownSafe
    case 'mcp':
    case 'other':
      return facts.readOnly
    case 'patch':
    case 'processInput':
      return false
  }
}

interface AllowedTool {
  readonly tool: string
  /** Text in parentheses, if there is any. */
  readonly within: string | null
}

function readAllowedTool(text: string): AllowedTool {
  const [, tool = text, within] = /^([^(]+)\((.*)\)$/.exec(text.trim()) ?? []
  return { tool: tool.trim(), within: within === undefined || within === '*' ? null : within }
}

const commandTools: ReadonlySet<string> = new Set(['Bash', 'shell'])
const patchTools: ReadonlySet<string> = new Set([
  ...['Edit', 'MultiEdit', 'NotebookEdit', 'Write'],
  ...['apply_patch', 'edit_file', 'write_file'],
])

function fits({ tool, within }: AllowedTool, facts: Facts): boolean {
  switch (facts.kind) {
    case 'command':
      return commandTools.has(tool) && (within === null || fitsPrefix(within, facts))
    case 'patch':
      // Patterns of paths are another agent's form, which is not read here.
      return patchTools.has(tool) && within === null
    case 'processInput':
      return tool === facts.tool || (commandTools.has(tool) && within === null)
    case 'mcp':
      return [`mcp__${facts.server}`, `mcp__${facts.server}__${facts.name}`, facts.tool].includes(tool)
    case 'read':
    case 'question':
    case 'proposal':
    case 'other':
      return tool === facts.tool
  }
}

/**
 * Tests if every part of a command begins with the words. `git:*` and `git *` fit any words after them; `git` fits no
 * further word.
 */
function fitsPrefix(within: string, { understood, parts }: CommandWords): boolean {
  const isOpen = /(?::| )\*$/.test(within)
  const words = within
    .replace(/(?::| )\*$/, '')
    .trim()
    .split(/\s+/)
  return (
    understood &&
    parts.length > 0 &&
    parts.every(({ argv }) => (isOpen || argv.length === words.length) && words.every((word, at) => argv[at] === word))
  )
}
