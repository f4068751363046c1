import { printable } from '@parley/config'
import type { Rule, Rules } from '../decision/rules.ts'
import type { PolicyFile } from '../policy-file/read-policy-file.ts'
import { projectPolicyPath } from './read-project-files.ts'

export interface ProjectRules {
  readonly rules: Rules
  /** What of the file does not count, with why. */
  readonly ignored: readonly string[]
}

/**
 * A project may forbid and ask as much as it likes. What it allows never reaches past what it brings along: no whole
 * tool, and no tool of a server that is not its own.
 */
export function projectRules({ rules, problems }: PolicyFile, ownServers: readonly string[]): ProjectRules {
  const refused = rules.flatMap((rule) => {
    const why = whyRefused(rule, ownServers)
    return why === null ? [] : [{ rule, why }]
  })
  return {
    rules: rules.filter((rule) => !refused.some((one) => one.rule === rule)),
    ignored: shown([
      ...problems.map(({ line, message }) => `${place(line)}: ${message}. Its allow rules do not count.`),
      ...refused.map(({ rule, why }) => `${place(rule.source.line)}: ${why}`),
    ]),
  }
}

const maxShown = 20

function shown(ignored: readonly string[]): readonly string[] {
  const more = ignored.length - maxShown
  return [...ignored.slice(0, maxShown).map(printable), ...(more > 0 ? [`${projectPolicyPath}: ${more} more.`] : [])]
}

function whyRefused({ decision, target }: Rule, ownServers: readonly string[]): string | null {
  if (decision !== 'allow') return null
  if (target.kind === 'tool') return 'is ignored: only your own policy.toml can allow a whole tool.'
  if (target.kind !== 'mcp') return null
  const [server = ''] = target.pattern.split('/')
  return ownServers.includes(server)
    ? null
    : 'is ignored: a project can allow only tools of servers that it configures itself, by their full names.'
}

function place(line: number | undefined): string {
  return line === undefined ? projectPolicyPath : `${projectPolicyPath}:${line}`
}
