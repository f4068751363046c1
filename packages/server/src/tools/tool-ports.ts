import type { BackgroundProcesses, EnvironmentRules, Host, Sandbox } from '@parley/host'
import type { FileSurroundings } from '../facts/gather-file-facts.ts'
import type { ShellParser } from '../facts/parse-shell.ts'
import type { SecretPlaces } from '../facts/secret-places.ts'
import { realPathOf } from '../lookup/real-path.ts'
import type { PatchFiles } from '../patch/patch-files.ts'
import type { Clock } from '../ports/clock.ts'
import type { Workspace } from './tool.ts'

/** What tools reach the system through. */
export interface ToolPorts {
  readonly host: Host
  readonly sandbox: Sandbox
  readonly background: BackgroundProcesses
  readonly shellParser: ShellParser
  readonly secrets: () => Promise<SecretPlaces>
  /** The server's own environment; commands get the allow-listed part of it. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly environmentRules: EnvironmentRules
  readonly ripgrep: string
  /** The user's home folder. */
  readonly home: string
  /** Absolute path of the shell that runs command lines. */
  readonly shell: string
  readonly patchFiles: PatchFiles
  readonly clock: Clock
}

export async function fileSurroundings(
  { secrets, home }: Pick<ToolPorts, 'secrets' | 'home'>,
  { cwd, roots }: Workspace,
): Promise<FileSurroundings> {
  const realRoots = await Promise.all(roots.map((root) => realPathOf(root).catch(() => root)))
  return { cwd: realRoots[0] ?? cwd, roots: realRoots, secrets: await secrets(), home }
}
