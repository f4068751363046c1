import { homedir } from 'node:os'
import type { GuardSurroundings } from '../../paths/guarded-paths.ts'
import { type FoundProgram, findProgram, programFolders } from '../../system/programs.ts'
import type { SandboxState } from '../sandboxes.ts'

/** Facts of the machine that are read before anything is tried. */
export interface Machine extends GuardSurroundings, SandboxState {
  readonly platform: NodeJS.Platform
  readonly arch: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly bwrap: FoundProgram | null
  readonly perl: FoundProgram | null
  readonly sandboxExec: FoundProgram | null
}

export interface MachineOptions extends Pick<GuardSurroundings, 'own'>, SandboxState {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folders to find programs in, in place of the system's. */
  readonly folders?: readonly string[]
}

export function inspectMachine(options: MachineOptions): Machine {
  const { env, folders = programFolders(env['PATH'] ?? ''), ...more } = options
  const { platform, arch } = process
  const onLinux = (name: string) => (platform === 'linux' ? findProgram(name, folders) : null)
  return {
    platform,
    arch,
    home: env['HOME'] ?? homedir(),
    env,
    ...more,
    bwrap: onLinux('bwrap'),
    perl: onLinux('perl'),
    sandboxExec: platform === 'darwin' ? findProgram('sandbox-exec', ['/usr/bin']) : null,
  }
}
