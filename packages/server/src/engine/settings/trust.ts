import type { Sandboxes } from '@parley/host'
import {
  broughtFiles,
  emptyReport,
  type Project,
  type Projects,
  projectRoot,
  runsPrograms,
  shownHash,
  trustReport,
} from '@parley/policy'
import type { ParamsOf, TrustReport } from '@parley/protocol'
import type { Clock } from '../../ports/clock-and-ids.ts'
import { rejection } from '../../replies/rejection.ts'
import { existingFolder } from './existing-folder.ts'
import { readConfig } from './read-config.ts'

export interface TrustPorts {
  readonly home: string
  readonly clock: Clock
  readonly projects: Projects
  /** Sandboxes of this machine. */
  readonly sandboxes: Pick<Sandboxes, 'report'>
}

/** Reports what the configuration of a project would do. */
export async function readTrust({ cwd }: ParamsOf<'trust/read'>, ports: TrustPorts): Promise<TrustReport> {
  const project = projectAt(cwd, ports)
  if (project === null) return emptyReport(projectRoot(cwd)?.folder ?? cwd)
  return trustReport(project, { own: readConfig(ports.home, {}).values, sandboxed: await isSandboxed(project, ports) })
}

/** Stores a verdict on the configuration that its sender has seen. Throws `invalidParams` when it has changed since. */
export async function decideTrust(params: ParamsOf<'trust/decide'>, ports: TrustPorts): Promise<TrustReport> {
  const { cwd, hash, verdict } = params
  const project = projectAt(cwd, ports)
  const content = project?.hash() ?? null
  if (project === null || content === null)
    throw rejection('invalidParams', 'This project has no configuration that could be trusted.', { field: 'cwd' })
  const sandboxed = await isSandboxed(project, ports)
  if (hash !== shownHash(project, sandboxed))
    throw rejection('invalidParams', 'It has changed since it was shown, so nothing was decided. Look at it again.', {
      field: 'hash',
    })
  const { root, files } = project
  const brought = [...broughtFiles(project)]
  ports.projects.store.write({
    root,
    hash: content,
    verdict,
    decidedAt: new Date(ports.clock.now()).toISOString(),
    outsideSandbox: !sandboxed,
    files: [...files],
    programs: [...project.programs().files],
    ...(brought.length === 0 ? {} : { brought }),
  })
  return readTrust({ cwd }, ports)
}

function projectAt(cwd: string, { projects }: TrustPorts): Project | null {
  return projects.of(existingFolder(cwd))
}

/** Tells if programs of the project run in a sandbox; the sandbox is probed only if there are any. */
async function isSandboxed(project: Project, { sandboxes }: TrustPorts): Promise<boolean> {
  return !runsPrograms(project) || (await sandboxes.report()).enforcement === 'full'
}
