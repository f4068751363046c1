import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SandboxLimits } from './limits.ts'

export interface Scratch {
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
