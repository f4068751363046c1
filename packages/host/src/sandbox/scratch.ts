import { realpath, rm } from 'node:fs/promises'
import { makeOwnFolder } from '../system/own-leftovers.ts'
import type { SandboxLimits } from './sandbox.ts'

interface Scratch {
  /** Real path. */
  readonly scratch: string
  release(): readonly string[]
}

/** Opens the folder for temporary files of a sandbox that cannot show it as /tmp; without one, makes one for the command. */
export async function openScratch(limits: SandboxLimits): Promise<Scratch> {
  if (limits.scratch !== null) return { scratch: limits.scratch, release: () => [] }
  const own = await realpath(makeOwnFolder('scratch'))
  return {
    scratch: own,
    release: () => {
      void rm(own, { recursive: true, force: true }).catch(() => undefined)
      return []
    },
  }
}

/** Surroundings of a command inside its sandbox. */
export interface InsideSandbox {
  /** Folder for temporary files, by its path inside. */
  readonly folder: string
  readonly network: boolean
}

/** Returns the env with temporary files and caches led to `folder`, so that later commands can use them. */
export function scratchEnv(
  env: Readonly<Record<string, string>>,
  { folder, network }: InsideSandbox,
): Record<string, string> {
  // npm would look for a newer npm, and without the network retry for over a minute.
  return {
    ...env,
    TMPDIR: folder,
    XDG_CACHE_HOME: `${folder}/cache`,
    npm_config_cache: `${folder}/npm`,
    npm_config_update_notifier: 'false',
    ...(network ? {} : { npm_config_fetch_retries: '0' }),
  }
}
