import type { ListedSkill } from '../../core/skills/skill-list.ts'

/** Skill as the tool reads it. */
export interface ReadableSkill {
  readonly name: string
  /** Absolute folder. */
  readonly folder: string
  readonly body: string
  readonly allowedTools?: readonly string[]
  /** Files beside its SKILL.md, relative to the folder. */
  readonly files: readonly string[]
  /** True where commands cannot see the folder. */
  readonly isHidden: boolean
  /** False for one that people start, and nobody has in the conversation. */
  readonly mayRead: boolean
  /** Reads a file beside its SKILL.md. */
  read(file: string): { readonly text: string } | { readonly problem: string }
}

export interface SkillSource {
  /**
   * Finds the skills anew where that takes requests to another machine. Resolves to false while that machine is away:
   * the earlier skills stay. Elsewhere each call below looks at the files.
   */
  refresh(): Promise<boolean>
  /** Returns the skills that can be used in a folder, as they are now. */
  list(cwd: string): readonly ReadableSkill[]
  /** Tells why a skill cannot be used; null for a name that nothing has. */
  problemOf(cwd: string, name: string): string | null
  /** Returns the skills that the model may choose, for its instructions. */
  listed(cwd: string): readonly ListedSkill[]
}

/** Source of no skills. */
export const noSkills: SkillSource = {
  refresh: () => Promise.resolve(true),
  list: () => [],
  problemOf: () => null,
  listed: () => [],
}
