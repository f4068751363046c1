import { printable } from '@parley/config'
import {
  broughtFiles,
  DecisionTooLargeError,
  emptyReport,
  type Project,
  runsPrograms,
  shownHash,
  trustReport,
} from '@parley/policy'
import type { ParamsOf, TrustReport } from '@parley/protocol'
import type { Rights } from '../../people/rights.ts'
import type { Clock } from '../../ports/clock-and-ids.ts'
import { rejection } from '../../replies/rejection.ts'
import { readConfig } from '../settings/read-config.ts'
import { machineOwner, type ProjectPorts, withProject } from './project-at.ts'

export interface TrustPorts extends ProjectPorts {
  readonly clock: Clock
}

type Asking = Pick<Rights, 'person'>
type Found = Parameters<Parameters<typeof withProject>[3]>[0]

/** Reports what the configuration of a project would do. */
export async function readTrust(params: ParamsOf<'trust/read'>, by: Asking, ports: TrustPorts): Promise<TrustReport> {
  return withProject(params, by, ports, (found) => reportOn(found, ports))
}

async function reportOn({ project, place, sandboxes }: Found, { home }: TrustPorts): Promise<TrustReport> {
  if (project === null) return emptyReport(place)
  return trustReport(project, { own: readConfig(home, {}).values, sandboxed: await isSandboxed(project, sandboxes) })
}

/** Stores a verdict on the configuration that its sender has seen. Throws `invalidParams` when it has changed since. */
export async function decideTrust(
  params: ParamsOf<'trust/decide'>,
  by: Asking,
  ports: TrustPorts,
): Promise<TrustReport> {
  assertMayDecide(params, by, ports)
  await withProject(params, by, ports, (found) => {
    if (by.person.kind === 'user' && params.verdict === 'trusted') assertReachesNothing(found)
    return decide(found, params, ports)
  })
  return readTrust(params, by, ports)
}

/** Throws `notPermitted` for a user, but for the owner of the machine that the project would run programs on. */
function assertMayDecide(
  { environment }: Pick<ParamsOf<'trust/decide'>, 'environment'>,
  { person }: Asking,
  { home }: TrustPorts,
): void {
  if (person.kind === 'operator') return
  const owner = environment === undefined ? null : machineOwner(environment, readConfig(home, {}).values)
  if (person.kind === 'user' && owner === person.name) return
  throw rejection(
    'notPermitted',
    'What a project brings runs with the rights of its machine: whoever runs the server trusts it, or the owner of a machine that has connected by itself.',
  )
}

/** Throws `notPermitted` for a project with a tool server behind a `url`: not its machine would ask that, but this server. */
function assertReachesNothing({ project }: Found): void {
  const far = Object.entries(project?.servers ?? {}).find(([, { url }]) => url !== undefined)
  if (far === undefined) return
  throw rejection(
    'notPermitted',
    `The tool server ${printable(far[0])} of this project is reached by its url from the machine of the server, so only whoever runs the server may trust it.`,
  )
}

async function decide(
  { project, sandboxes }: Found,
  { hash, verdict }: Pick<ParamsOf<'trust/decide'>, 'hash' | 'verdict'>,
  { projects, clock }: TrustPorts,
): Promise<void> {
  const content = project?.hash() ?? null
  if (project === null || content === null)
    throw rejection('invalidParams', 'This project has no configuration that could be trusted.', { field: 'cwd' })
  const sandboxed = await isSandboxed(project, sandboxes)
  if (hash !== shownHash(project, sandboxed))
    throw rejection('invalidParams', 'It has changed since it was shown, so nothing was decided. Look at it again.', {
      field: 'hash',
    })
  const { place, files } = project
  const brought = [...broughtFiles(project)]
  const entry = {
    root: place,
    hash: content,
    verdict,
    decidedAt: new Date(clock.now()).toISOString(),
    outsideSandbox: !sandboxed,
    files: [...files],
    programs: [...project.programs().files],
    ...(brought.length === 0 ? {} : { brought }),
  }
  await projects.decide(project, entry).catch((error: unknown) => {
    throw error instanceof DecisionTooLargeError ? rejection('invalidParams', error.message, { field: 'cwd' }) : error
  })
}

/** Tells if programs of the project run in a sandbox; the sandbox is probed only if there are any. */
async function isSandboxed(project: Project, sandboxes: Found['sandboxes']): Promise<boolean> {
  return !runsPrograms(project) || (await sandboxes.report()).enforcement === 'full'
}
