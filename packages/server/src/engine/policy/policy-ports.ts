import type { Files } from '@parley/journal'
import type { Projects, ShellParser, UserRules } from '@parley/policy'
import type { Environments } from '@parley/workspace'
/** What is needed to say what the policy would say, besides the conversation. */
export interface PolicyPorts {
  readonly files: Files
  readonly home: string
  readonly places: Environments
  readonly shellParser: ShellParser
  readonly userRules: UserRules
  /** Rules of a project count where it is trusted. */
  readonly projects: Pick<Projects, 'of'>
}
