import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SandboxLimits } from './sandbox.ts'

interface Scratch {
  /** Real. */
  readonly scratch: string
  release(): void
}

/** The folder for temporary files of a sandbox that cannot show it as /tmp; one that goes with the command where there is none. */
export async function scratchOf(limits: SandboxLimits): Promise<Scratch> {
  if (limits.scratch !== null) return { scratch: limits.scratch, release: () => undefined }
  const own = await mkdtemp(join(await realpath(tmpdir()), 'parley-scratch-'))
  return { scratch: own, release: () => void rm(own, { recursive: true, force: true }).catch(() => undefined) }
}

export interface Inside {
  /** What it sees as its folder for temporary files. */
  readonly folder: string
  readonly network: boolean
}

/**
 * The environment with temporary files and caches led to `folder`, so that they serve from one command to the next.
 * npm looks for a newer npm whatever it is told to do, and a test that fails would seem to have failed for the network;
 * where there is none, it would try again for over a minute.
 */
export function intoScratch(
  env: Readonly<Record<string, string>>,
  { folder, network }: Inside,
): Record<string, string> {
  return {
    ...env,
    TMPDIR: folder,
    XDG_CACHE_HOME: `${folder}/cache`,
    npm_config_cache: `${folder}/npm`,
    npm_config_update_notifier: 'false',
    ...(network ? {} : { npm_config_fetch_retries: '0' }),
  }
}
