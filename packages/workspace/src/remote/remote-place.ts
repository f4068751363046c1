import type { Place, Ripgrep } from '../environment/place.ts'
import type { PlaceFiles } from '../environment/place-files.ts'
import { lookUpLimits } from '../look-up/look-up-limits.ts'
import type { BoundedRun } from '../look-up/run-bounded.ts'
import { findProgram } from '../paths/find-program.ts'
import { type SecretPlaces, secretPlaces } from '../paths/secret-places.ts'
import { liesWithin } from '../paths/workspace-path.ts'
import type { ExecInfo } from './exec-connection.ts'
import { guardThere } from './guard-there.ts'
import type { Link } from './link.ts'
import { startRemoteCommand } from './remote-commands.ts'
import { pathOfUri, remoteFiles } from './remote-files.ts'
import { runRemoteLookUp } from './remote-look-up.ts'
import { remotePatches } from './remote-patches.ts'
import { remoteSandboxes } from './remote-sandboxes.ts'

/** For an exec-server that says nothing of its environment. */
const usualSearchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The machine of an environment. What it is like is known from its greeting on. */
export function remotePlace(name: string, link: Link, here: Ripgrep): Place {
  const files = remoteFiles(link)
  const about = () => describePlace(link.info)
  const sandboxes = remoteSandboxes(name, link)
  const secretsThere = () => {
    secrets ??= link.connection().then(() => findSecrets(about().home, files))
    // Not known is not kept.
    secrets.catch(() => {
      secrets = null
    })
    return secrets
  }
  const runConfinedThere = async (run: BoundedRun) => {
    const { enforcement } = await sandboxes.report()
    const places = enforcement === 'none' ? null : await secretsThere()
    // Its exec-server keeps all secret places closed, those too that it was asked to look in.
    const isConfined = places !== null && !places.some((place) => liesWithin(run.looksAt, place))
    return runRemoteLookUp(link, isConfined ? lookUpLimits(run, places) : null, run)
  }
  let secrets: Promise<SecretPlaces> | null = null
  return {
    environment: name,
    async reach() {
      await link.connection()
      // Rejects here, and not where it is used, when what it says of itself makes no sense.
      about()
    },
    get shell() {
      return about().shell
    },
    get home() {
      return about().home
    },
    get env() {
      return about().env
    },
    get platform() {
      return about().platform
    },
    commands: {
      startCommand: (spec, options) => startRemoteCommand(link, spec, options),
      warmUp: async () => void (await link.connection()),
    },
    sandboxes,
    files,
    patches: remotePatches(link, files),
    search: {
      async there(roots) {
        const path = await findRipgrep(about().env['PATH'], roots, files)
        return path === null ? null : { command: [path], run: runConfinedThere }
      },
      here,
    },
    secrets: secretsThere,
    guardOf: (paths, roots) => guardThere(link, { paths, roots, home: about().home }),
  }
}

interface PlaceAbout extends Pick<Place, 'shell' | 'home' | 'platform'> {
  readonly env: Readonly<Record<string, string>>
}

/** Before the greeting nothing of it is used: facts wait for `reach`. */
function describePlace(info: ExecInfo | null): PlaceAbout {
  if (info === null) return { shell: '/bin/sh', home: '/', platform: 'unknown', env: {} }
  const home = pathOfUri(info.userHomeDir)
  return {
    shell: info.shell.path,
    home,
    platform: info.platformOs,
    env: info.env ?? { PATH: usualSearchPath, HOME: home },
  }
}

function findSecrets(home: string, files: PlaceFiles): Promise<SecretPlaces> {
  return secretPlaces({ home, parleyHome: `${home}/.parley` }, files)
}

async function findRipgrep(
  searchPath: string | undefined,
  roots: readonly string[],
  files: PlaceFiles,
): Promise<string | null> {
  const found = await findProgram({ name: 'rg', searchPath: searchPath ?? '', cwd: '/', roots, files })
  return found.path === null || found.insideRoots ? null : found.path
}
