import type { BackgroundProcesses, EnvRules } from '@parley/host'
import type { FileSurroundings, ShellParser } from '@parley/policy'
import type { Redaction } from '@parley/redaction'
import { type Environment, whenUnknown } from '@parley/workspace'
import type { Clock } from '../ports/clock.ts'
import type { Workspace } from './tool.ts'

/** What tools reach the system through. */
export interface ToolPorts {
  /** Where commands run and files lie. */
  readonly place: Environment
  readonly background: BackgroundProcesses
  readonly shellParser: ShellParser
  /** What of the place's own environment commands get. */
  readonly environmentRules: EnvRules
  readonly redaction: Redaction
  readonly clock: Clock
}

/** Rejects with `EnvironmentUnreachableError` where the place cannot be asked: facts are never made up for it. */
export async function fileSurroundings(place: Environment, { cwd, roots }: Workspace): Promise<FileSurroundings> {
  await place.reach()
  const { files } = place
  const realRoots = await Promise.all(roots.map((root) => files.realPath(root).catch(whenUnknown(root))))
  return { cwd: realRoots[0] ?? cwd, roots: realRoots, secrets: await place.secrets(), guardOf: place.guardOf, files }
}
