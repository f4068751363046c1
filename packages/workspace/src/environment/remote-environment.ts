import type { EnvironmentFiles } from '../files/environment-files.ts'
import { whenUnknown } from '../files/errors.ts'
import { findProgram } from '../files/find-program.ts'
import { standingsThere } from '../files/path-standing.ts'
import { liesWithin } from '../files/real-path.ts'
import { currentSecrets, type SecretPaths, secretPaths } from '../files/secret-paths.ts'
import { type Ripgrep, type RipgrepRun, ripgrepLimits } from '../look-up/ripgrep-run.ts'
import type { ExecInfo } from '../remote/exec-connection.ts'
import type { ExecLink } from '../remote/link.ts'
import { remoteKept } from '../remote/processes/kept-commands.ts'
import { runRemoteRipgrep, startRemoteCommand } from '../remote/processes/remote-commands.ts'
import { startRemoteStreams } from '../remote/processes/remote-streams.ts'
import { remoteCopies } from '../remote/remote-copies.ts'
import { pathOfUri, remoteFiles, remoteIdentity } from '../remote/remote-files.ts'
import { remotePatches } from '../remote/remote-patches.ts'
import { remoteGuards, remoteSandboxes } from '../remote/remote-sandboxes.ts'
import type { Environment, EnvironmentIdentity, MachineFacts } from './environment.ts'

/** Search path for an exec-server that reports no variables. */
const defaultSearchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Creates the environment behind a link to an exec-server. `here`: search in files that are fetched. */
export function remoteEnvironment(identity: EnvironmentIdentity, link: ExecLink, here: Ripgrep): Environment {
  const { name, machine, reachedBy, mayWork } = identity
  const files = remoteFiles(link)
  const facts = () => machineFacts(link.info)
  const sandboxes = remoteSandboxes(link.environment, link)
  const remoteSecrets = async () => {
    await link.connection()
    const { home } = facts()
    secrets ??= currentSecrets({ homes: [home], added: () => [], find: () => findSecrets(facts(), files), files })
    return secrets()
  }
  const runRipgrep = async (run: RipgrepRun) => {
    const { enforcement } = await sandboxes.report()
    const known = enforcement === 'none' ? null : await remoteSecrets()
    // In a sandbox the exec-server masks all secret paths, also one that policy allowed to be searched.
    const isConfined = known !== null && !known.some((secret) => liesWithin(run.looksAt, secret))
    return runRemoteRipgrep(link, isConfined ? ripgrepLimits(run, known) : null, run)
  }
  let secrets: (() => Promise<SecretPaths>) | null = null
  return {
    name,
    machine,
    reachedBy,
    mayWork,
    async reach() {
      await link.connection()
      // Rejects invalid facts here; the getters below would throw at their first use.
      facts()
    },
    get shell() {
      return facts().shell
    },
    get home() {
      return facts().home
    },
    get env() {
      return facts().env
    },
    get platform() {
      return facts().platform
    },
    commands: {
      runCommand: (spec, options) => startRemoteCommand(link, spec, options),
      spawnStreams: (spec) => startRemoteStreams(link, spec),
      warmUp: async () => void (await link.connection()),
    },
    kept: remoteKept(link),
    copies: remoteCopies(link),
    sandboxes,
    files,
    patches: remotePatches(link, files),
    search: {
      async there(roots) {
        const path = await findRipgrep(facts().env['PATH'], roots, files)
        return path === null ? null : { command: [path], run: runRipgrep }
      },
      here,
    },
    secrets: remoteSecrets,
    standingOf: async (paths, roots) =>
      standingsThere(paths, roots, {
        files,
        secrets: await remoteSecrets(),
        guardsOf: (asked, writable) => remoteGuards(link, { paths: asked, roots: writable, home: facts().home }),
      }),
    async rootsNow(folders) {
      const real = await Promise.all(folders.map((folder) => files.realPath(folder).catch(whenUnknown(folder))))
      const found = await Promise.all(real.map((path) => remoteIdentity(link, path)))
      return { real, changed: [], identities: new Map(identified(real, found)) }
    },
  }
}

/** Reads the facts from `initialize`; before the connection, placeholders that no caller uses before `reach`. */
function machineFacts(info: ExecInfo | null): MachineFacts {
  if (info === null) return { shell: '/bin/sh', home: '/', platform: 'unknown', env: {} }
  const home = pathOfUri(info.userHomeDir)
  return {
    shell: info.shell.path,
    home,
    platform: info.platformOs,
    env: info.env ?? { PATH: defaultSearchPath, HOME: home },
  }
}

function findSecrets({ home, env }: MachineFacts, files: EnvironmentFiles): Promise<SecretPaths> {
  return secretPaths({ home, env, parleyHome: `${home}/.parley` }, files)
}

async function findRipgrep(
  searchPath: string | undefined,
  roots: readonly string[],
  files: EnvironmentFiles,
): Promise<string | null> {
  const found = await findProgram({ name: 'rg', searchPath: searchPath ?? '', cwd: '/', roots, files })
  return found.path === null || found.insideRoots ? null : found.path
}

function identified(paths: readonly string[], found: readonly (string | null)[]): [string, string][] {
  return paths.flatMap((path, index) => {
    const identity = found[index] ?? null
    return identity === null ? [] : [[path, identity]]
  })
}
