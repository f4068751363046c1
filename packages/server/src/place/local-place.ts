import type { Host, Sandboxes } from '@parley/host'
import type { SecretPlaces } from '../facts/secret-places.ts'
import { diskPatchTarget } from '../patch/disk-patch-attempt.ts'
import type { PatchFiles } from '../patch/patch-files.ts'
import { diskFiles } from './disk-files.ts'
import { localSearch } from './local-search.ts'
import type { Place } from './place.ts'

export interface LocalParts {
  readonly host: Host
  readonly sandboxes: Sandboxes
  readonly shell: string
  readonly userHome: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly patchFiles: PatchFiles
  readonly ripgrep: string
  readonly secrets: () => Promise<SecretPlaces>
}

/** This machine. */
export function localPlace({ host, sandboxes, shell, userHome, env, patchFiles, ripgrep, secrets }: LocalParts): Place {
  const own = localSearch({ host, sandboxes, secrets, ripgrep })
  return {
    environment: null,
    reach: () => Promise.resolve(),
    shell,
    home: userHome,
    env,
    platform: process.platform,
    commands: host,
    sandboxes,
    files: diskFiles,
    patches: diskPatchTarget(patchFiles),
    search: { there: () => Promise.resolve(own), here: own },
    secrets,
  }
}
