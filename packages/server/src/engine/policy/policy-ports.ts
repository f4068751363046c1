import type { ShellParser } from '../../facts/parse-shell.ts'
import type { Files } from '../../log/files.ts'
import type { Places } from '../../place/places.ts'
import type { UserRules } from '../../policy-file/user-rules.ts'
import type { Projects } from '../../trust/project.ts'

/** What is needed to say what the policy would say, besides the conversation. */
export interface PolicyPorts {
  readonly files: Files
  readonly home: string
  readonly places: Places
  readonly shellParser: ShellParser
  readonly userRules: UserRules
  /** Rules of a project count where it is trusted. */
  readonly projects: Pick<Projects, 'of'>
}
