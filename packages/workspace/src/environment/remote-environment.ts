import type { EnvironmentFiles } from '../files/environment-files.ts'
import { findProgram } from '../files/find-program.ts'
import { type SecretPaths, secretPaths } from '../files/secret-paths.ts'
import { liesWithin } from '../files/workspace-path.ts'
import { type Ripgrep, type RipgrepRun, ripgrepLimits } from '../look-up/ripgrep-run.ts'
import type { ExecInfo } from '../remote/exec-connection.ts'
import type { Link } from '../remote/link.ts'
import { runRemoteRipgrep, startRemoteCommand } from '../remote/remote-commands.ts'
import { pathOfUri, remoteFiles } from '../remote/remote-files.ts'
import { remotePatches } from '../remote/remote-patches.ts'
import { remoteGuards, remoteSandboxes } from '../remote/remote-sandboxes.ts'
import type { Environment } from './environment.ts'

/** For an exec-server that says nothing of its environment. */
const usualSearchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The machine of an environment. What it is like is known from its greeting on. */
export function remoteEnvironment(name: string, link: Link, here: Ripgrep): Environment {
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
  const runConfinedThere = async (run: RipgrepRun) => {
    const { tier } = await sandboxes.report()
    const places = tier === 'C' ? null : await secretsThere()
    // Its exec-server keeps all secret places closed, those too that it was asked to look in.
    const isConfined = places !== null && !places.some((place) => liesWithin(run.looksAt, place))
    return runRemoteRipgrep(link, isConfined ? ripgrepLimits(run, places) : null, run)
  }
  let secrets: Promise<SecretPaths> | null = null
  return {
    name: name,
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
    guardOf: (paths, roots) => remoteGuards(link, { paths, roots, home: about().home }),
  }
}

interface MachineFacts extends Pick<Environment, 'shell' | 'home' | 'platform'> {
  readonly env: Readonly<Record<string, string>>
}

/** Before the greeting nothing of it is used: facts wait for `reach`. */
function describePlace(info: ExecInfo | null): MachineFacts {
  if (info === null) return { shell: '/bin/sh', home: '/', platform: 'unknown', env: {} }
  const home = pathOfUri(info.userHomeDir)
  return {
    shell: info.shell.path,
    home,
    platform: info.platformOs,
    env: info.env ?? { PATH: usualSearchPath, HOME: home },
  }
}

function findSecrets(home: string, files: EnvironmentFiles): Promise<SecretPaths> {
  return secretPaths({ home, parleyHome: `${home}/.parley` }, files)
}

async function findRipgrep(
  searchPath: string | undefined,
  roots: readonly string[],
  files: EnvironmentFiles,
): Promise<string | null> {
  const found = await findProgram({ name: 'rg', searchPath: searchPath ?? '', cwd: '/', roots, files })
  return found.path === null || found.insideRoots ? null : found.path
}
