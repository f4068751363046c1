import { type Host, pinFolders, type Sandboxes } from '@parley/host'
import { diskFiles } from '../files/disk-files.ts'
import { ownFiles, ownPrograms, standingsHere } from '../files/path-standing.ts'
import type { SecretPaths } from '../files/secret-paths.ts'
import { localRipgrep } from '../look-up/local-ripgrep.ts'
import { diskPatchTarget } from '../patch/apply/disk-patch-attempt.ts'
import type { PatchFiles } from '../patch/patch-files.ts'
import { type KeptCommands, nothingFound } from '../remote/processes/kept-commands.ts'
import type { Environment } from './environment.ts'

export interface LocalParts {
  readonly host: Host
  readonly sandboxes: Sandboxes
  readonly shell: string
  /** `$PARLEY_HOME`. */
  readonly home: string
  readonly userHome: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly patchFiles: PatchFiles
  readonly ripgrep: string
  readonly secrets: () => Promise<SecretPaths>
}

/** Creates the environment of this machine. */
export function localEnvironment(parts: LocalParts): Environment {
  const { host, sandboxes, shell, home, userHome, env, patchFiles, ripgrep, secrets } = parts
  const own = () => ownFiles(home)
  const programs = () => ownPrograms(home)
  const search = localRipgrep({ host, sandboxes, secrets, ripgrep })
  return {
    name: null,
    machine: null,
    reachedBy: '',
    mayWork: () => true,
    reach: () => Promise.resolve(),
    shell,
    home: userHome,
    env,
    platform: process.platform,
    commands: host,
    kept: nothingKept,
    copies: null,
    sandboxes,
    files: diskFiles,
    patches: diskPatchTarget(patchFiles),
    search: { there: () => Promise.resolve(search), here: search },
    secrets,
    standingOf: async (paths, roots) =>
      standingsHere(paths, roots, { home: userHome, env, own, programs, secrets: await secrets() }),
    rootsNow: (folders) => Promise.resolve(pinFolders()(folders)),
  }
}

/** Commands of this machine end with their server. */
const nothingKept: KeptCommands = {
  found: () => Promise.resolve(nothingFound),
  follow: () => {
    throw new Error('no command of this machine outlives its server')
  },
  forget: () => undefined,
  keepOnly: () => undefined,
}
