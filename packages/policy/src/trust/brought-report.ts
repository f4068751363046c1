import { join } from 'node:path'
import { printable } from '@parley/config'
import { readFrontMatter } from '@parley/text'
import { type BroughtPart, belongsTo, isSameContent } from './brought-files.ts'
import type { Project } from './project.ts'
import type { ProgramFile } from './project-programs.ts'
import { readPlainText } from './read-project-files.ts'

type Bringing = Pick<Project, 'brought' | 'entry'>
type Reading = Pick<Project, 'root' | 'tree' | 'brought'>

/** Returns the files of all skills and commands that can be trusted, in their order. */
export function broughtFiles({ brought }: Pick<Project, 'brought'>): readonly ProgramFile[] {
  return brought.flatMap((part) => {
    const looked = part.look()
    return 'files' in looked ? looked.files : []
  })
}

/** Returns what a yes would let take effect, a sentence for each skill and command. */
export function broughtChanges({ brought, ...project }: Reading): readonly string[] {
  return brought.flatMap((part) => {
    const looked = part.look()
    if ('problem' in looked) return []
    return [`${nameOf(part)} from ${printable(part.path)}, ${filesText(looked.files)}${aboutOf(part, project)}`]
  })
}

const maxTextBytes = 64 * 1024

/** Returns what a skill says of itself, which goes into the context of the model. */
function aboutOf({ kind, path }: BroughtPart, { root, tree }: Omit<Reading, 'brought'>): string {
  const wanted = { root, path: kind === 'skill' ? join(path, 'SKILL.md') : path, maxBytes: maxTextBytes }
  const read = readPlainText(wanted, tree)
  const front = 'text' in read ? readFrontMatter(read.text) : read
  const about = 'fields' in front ? front.fields.get('description') : undefined
  return typeof about === 'string' && about !== '' ? `: ${printable(about)}` : ''
}

/** Returns why skills and commands never take effect, a sentence for each. */
export function broughtProblems({ brought }: Pick<Project, 'brought'>): readonly string[] {
  return brought.flatMap((part) => {
    const looked = part.look()
    return 'problem' in looked ? [`${nameOf(part)} has no effect: ${printable(looked.problem)}.`] : []
  })
}

function nameOf({ kind, name }: BroughtPart): string {
  return `the ${kind} ${printable(name)}`
}

function filesText(files: readonly ProgramFile[]): string {
  const [only] = files
  return files.length === 1 && only !== undefined
    ? `which counts as it is now (${only.content.slice(0, 19)})`
    : `whose ${files.length} files count as they are now`
}

/** Compares skills and commands with the decision. What is gone since has no effect left to report. */
export function stateOfBrought({ entry, brought }: Bringing): Project['state'] {
  if (entry === null) return 'untrusted'
  if (entry.verdict === 'declined') return 'declined'
  const known = entry.brought ?? []
  const isAsKnown = (part: BroughtPart) => {
    const looked = part.look()
    const before = known.filter(({ path }) => belongsTo(part, path))
    // One that can never be trusted is no reason to ask again and again.
    return 'files' in looked ? isSameContent(looked.files, before) : before.length === 0
  }
  return brought.every(isAsKnown) ? 'trusted' : 'changed'
}

/** Counts skills and commands: `2 skills and 1 command`. */
export function broughtWords(brought: readonly BroughtPart[]): string {
  const counts = (['skill', 'command'] as const).map(
    (kind) => [kind, brought.filter((part) => part.kind === kind).length] as const,
  )
  const words = counts.flatMap(([kind, count]) => (count === 0 ? [] : [`${count} ${kind}${count === 1 ? '' : 's'}`]))
  return words.join(' and ')
}
