import { join } from 'node:path'
import { printable } from '@parley/config'
import { countedNoun, readFrontMatter } from '@parley/text'
import type { Project } from './project.ts'
import type { ProgramFile } from './project-programs.ts'
import { belongsTo, isSameContent, type ProjectSkill } from './project-skills.ts'
import type { RootedTree } from './project-tree.ts'
import { readPlainText } from './read-project-files.ts'

/** Returns the files of all skills and commands that can be trusted, in their order. */
export function skillFiles({ skills }: Pick<Project, 'skills'>): readonly ProgramFile[] {
  return skills.flatMap((part) => {
    const looked = part.look()
    return 'files' in looked ? looked.files : []
  })
}

/** Returns the effects of a yes, a sentence for each skill and command. */
export function skillChanges({ skills, ...project }: RootedTree & Pick<Project, 'skills'>): readonly string[] {
  return skills.flatMap((part) => {
    const looked = part.look()
    if ('problem' in looked) return []
    return [`${nameOf(part)} from ${printable(part.path)}, ${filesText(looked.files)}${aboutOf(part, project)}`]
  })
}

const maxTextBytes = 64 * 1024

/** Returns a skill's description of itself, which goes into the context of the model. */
function aboutOf({ kind, path }: ProjectSkill, { root, tree }: RootedTree): string {
  const wanted = { root, path: kind === 'skill' ? join(path, 'SKILL.md') : path, maxBytes: maxTextBytes }
  const read = readPlainText(wanted, tree)
  const front = 'text' in read ? readFrontMatter(read.text) : read
  const about = 'fields' in front ? front.fields.get('description') : undefined
  return typeof about === 'string' && about !== '' ? `: ${printable(about)}` : ''
}

/** Returns why skills and commands never take effect, a sentence for each. */
export function skillProblems({ skills }: Pick<Project, 'skills'>): readonly string[] {
  return skills.flatMap((part) => {
    const looked = part.look()
    return 'problem' in looked ? [`${nameOf(part)} has no effect: ${printable(looked.problem)}.`] : []
  })
}

function nameOf({ kind, name }: ProjectSkill): string {
  return `the ${kind} ${printable(name)}`
}

function filesText(files: readonly ProgramFile[]): string {
  const [only] = files
  return files.length === 1 && only !== undefined
    ? `which counts as it is now (${only.content.slice(0, 19)})`
    : `whose ${files.length} files count as they are now`
}

/** Compares skills and commands with the decision. A removed skill or command has no effect left to report. */
export function stateOfSkills({ entry, skills }: Pick<Project, 'skills' | 'entry'>): Project['state'] {
  if (entry === null) return 'untrusted'
  if (entry.verdict === 'declined') return 'declined'
  const known = entry.brought ?? []
  const isAsKnown = (part: ProjectSkill) => {
    const looked = part.look()
    const before = known.filter(({ path }) => belongsTo(part, path))
    // One that can never be trusted is no reason to ask again and again.
    return 'files' in looked ? isSameContent(looked.files, before) : before.length === 0
  }
  return skills.every(isAsKnown) ? 'trusted' : 'changed'
}

/** Counts skills and commands: `2 skills and 1 command`. */
export function countSkills(skills: readonly ProjectSkill[]): string {
  const counts = (['skill', 'command'] as const).map(
    (kind) => [kind, skills.filter((part) => part.kind === kind).length] as const,
  )
  const words = counts.flatMap(([kind, count]) => (count === 0 ? [] : [countedNoun(count, kind)]))
  return words.join(' and ')
}
