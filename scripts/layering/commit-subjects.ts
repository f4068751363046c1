import { execFileSync } from 'node:child_process'
import { root } from './sources.ts'

const judgedCommits = 20
const subjectLimit = 72
const shape = /^[a-z0-9][a-z0-9-]*(, [a-z0-9][a-z0-9-]*)*: \S/

export function subjectViolations(subject: string): string[] {
  return [
    ...(shape.test(subject) ? [] : [`"${subject}" is not "area: what changed"`]),
    ...(subject.length > subjectLimit ? [`"${subject}" has ${subject.length} characters, the limit is 72`] : []),
  ]
}

/** Reads the newest subjects; empty outside of a clone, as in an unpacked archive. */
export function newestSubjects(): string[] {
  const args = ['log', `-${judgedCommits}`, '--no-merges', '--format=%s']
  try {
    const text = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    return text.split('\n').filter((subject) => subject !== '')
  } catch {
    return []
  }
}
