import { printable } from '@parley/config'
import type { Rule, Rules } from '../decision/rules/rules.ts'
import type { PolicyFile } from '../policy-file/read-policy-file.ts'
import { projectPolicyPath } from './read-project-files.ts'

export interface ProjectRules {
  readonly rules: Rules
  /** Rules of the file that do not apply, with the reasons. */
  readonly ignored: readonly string[]
}

/**
 * Selects the rules of a project that apply: all that deny or ask, and those that allow commands, paths and tools of
 * its own servers. A project allows no whole tool and no tool of other servers.
 */
export function projectRules({ rules, problems }: PolicyFile, ownServers: readonly string[]): ProjectRules {
  const rejected = rules.flatMap((rule) => {
    const why = rejectionOf(rule, ownServers)
    return why === null ? [] : [{ rule, why }]
  })
  return {
    rules: rules.filter((rule) => !rejected.some((one) => one.rule === rule)),
    ignored: shown([
      ...problems.map(({ line, message }) => `${location(line)}: ${message}. Its allow rules do not count.`),
      ...rejected.map(({ rule, why }) => `${location(rule.source.line)}: ${why}`),
    ]),
  }
}

const maxShown = 20

function shown(ignored: readonly string[]): readonly string[] {
  const more = ignored.length - maxShown
  return [...ignored.slice(0, maxShown).map(printable), ...(more > 0 ? [`${projectPolicyPath}: ${more} more.`] : [])]
}

function rejectionOf({ decision, target }: Rule, ownServers: readonly string[]): string | null {
  if (decision !== 'allow') return null
  if (target.kind === 'tool') return 'is ignored: only your own policy.toml can allow a whole tool.'
  if (target.kind !== 'mcp') return null
  const [server = ''] = target.pattern.split('/')
  return ownServers.includes(server)
    ? null
    : 'is ignored: a project can allow only tools of servers that it configures itself, by their full names.'
}

function location(line: number | undefined): string {
  return line === undefined ? projectPolicyPath : `${projectPolicyPath}:${line}`
}
