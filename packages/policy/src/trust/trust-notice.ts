import type { Project } from './project.ts'

/** One line for whoever works in a project whose configuration does not count; null where there is nothing to say. */
export function trustNotice(project: Project | null): string | null {
  if (project === null || project.state === 'trusted' || project.state === 'declined') return null
  const { files, problems } = project
  if (problems.length > 0 && files.length === 0) return problems.join(' ')
  const ways = '`parley trust`, or /trust in the terminal, shows it and lets you decide.'
  if (files.length === 0)
    return `The rules that you trusted this project with are gone from it, so what they forbade is no longer forbidden. ${ways}`
  const what = contentsOf(project)
  return project.state === 'changed'
    ? `This project's own configuration (${what}) has changed since you trusted it, so nothing of it takes effect. ${ways}`
    : `This project brings its own configuration (${what}). Nothing of it takes effect unless you trust it. ${ways}`
}

function contentsOf({ files, servers }: Project): string {
  const count = Object.keys(servers).length
  const tools = count === 0 ? [] : [`${count} tool ${count === 1 ? 'server' : 'servers'}`]
  return [...files.map(({ path }) => path), ...tools].join(', ')
}
