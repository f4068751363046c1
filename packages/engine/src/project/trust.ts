import { printable } from '@parley/config'
import {
  DecisionTooLargeError,
  emptyReport,
  type Project,
  runsPrograms,
  shownHash,
  skillFiles,
  trustReport,
} from '@parley/policy'
import type { ParamsOf, Rights, TrustReport } from '@parley/protocol'
import type { Clock } from '../ports/clock-and-ids.ts'
import { invalidParam, rejection } from '../replies/rejection.ts'
import { readConfig } from '../settings/read-config.ts'
import { machineOwner, type ProjectAtFolder, type ProjectPorts, withProject } from './project-at.ts'

export interface TrustPorts extends ProjectPorts {
  readonly clock: Clock
}

type Decider = Pick<Rights, 'person'>

/** Reports the effects of a project's configuration, and the answers that would be rejected. */
export async function readTrust(params: ParamsOf<'trust/read'>, by: Decider, ports: TrustPorts): Promise<TrustReport> {
  const { environment } = params
  const kept = environment === undefined ? {} : ({ keptIn: ports.projects.areShared ? 'store' : 'home' } as const)
  return withProject(params, by, ports, async (found) => ({
    ...(await reportOn(found, ports)),
    ...rejectsOf(whyNotYours(params, by, ports), whyNotTrusted(found, by)),
    ...kept,
  }))
}

function rejectsOf(both: string | null, trusted: string | null): Pick<TrustReport, 'rejects'> {
  if (both !== null) return { rejects: { trusted: both, declined: both } }
  return trusted === null ? {} : { rejects: { trusted } }
}

async function reportOn({ project, place, sandboxes }: ProjectAtFolder, { home }: TrustPorts): Promise<TrustReport> {
  if (project === null) return emptyReport(place)
  return trustReport(project, { own: readConfig(home, {}).values, sandboxed: await isSandboxed(project, sandboxes) })
}

/** Stores a verdict on the configuration that its sender has seen. Throws `invalidParams` when it has changed since. */
export async function decideTrust(
  params: ParamsOf<'trust/decide'>,
  by: Decider,
  ports: TrustPorts,
): Promise<TrustReport> {
  assertPermitted(whyNotYours(params, by, ports))
  await withProject(params, by, ports, (found) => {
    if (params.verdict === 'trusted') assertPermitted(whyNotTrusted(found, by))
    return decide(found, params, ports)
  })
  return readTrust(params, by, ports)
}

function assertPermitted(why: string | null): void {
  if (why !== null) throw rejection('notPermitted', why)
}

/**
 * Returns the reason why a user may not decide, with the names of the users who may; null for the owner of the machine
 * on which the project's programs would run.
 */
function whyNotYours(
  { environment }: Pick<ParamsOf<'trust/decide'>, 'environment'>,
  { person }: Decider,
  { home }: TrustPorts,
): string | null {
  if (person.kind === 'operator') return null
  const owner = environment === undefined ? null : machineOwner(environment, readConfig(home, {}).values)
  if (person.kind === 'user' && owner === person.name) return null
  const operator =
    environment === undefined
      ? 'whoever runs the server, by `parley trust` in this folder of its machine'
      : `whoever runs the server, by \`parley trust --environment ${printable(environment)}\` on its machine`
  const who = owner === null ? operator : `the owner of that machine, or ${operator}`
  return `What a project brings runs with the rights of its machine. About this one decides ${who}.`
}

/** Returns why a user may not trust a project with a tool server behind a `url`: this server would call it, not the machine. */
function whyNotTrusted({ project }: ProjectAtFolder, { person }: Decider): string | null {
  if (person.kind !== 'user') return null
  const far = Object.entries(project?.servers ?? {}).find(([, { url }]) => url !== undefined)
  return far === undefined
    ? null
    : `The tool server ${printable(far[0])} of this project is reached by its url from the machine of the server, so only whoever runs the server may trust it.`
}

async function decide(
  { project, sandboxes }: ProjectAtFolder,
  { hash, verdict }: Pick<ParamsOf<'trust/decide'>, 'hash' | 'verdict'>,
  { projects, clock }: TrustPorts,
): Promise<void> {
  const content = project?.hash() ?? null
  if (project === null || content === null)
    throw invalidParam('cwd', 'This project has no configuration that could be trusted.')
  const sandboxed = await isSandboxed(project, sandboxes)
  if (hash !== shownHash(project, sandboxed))
    throw invalidParam('hash', 'It has changed since it was shown, so nothing was decided. Look at it again.')
  const { place, files } = project
  const skills = [...skillFiles(project)]
  const entry = {
    root: place,
    hash: content,
    verdict,
    decidedAt: new Date(clock.now()).toISOString(),
    outsideSandbox: !sandboxed,
    files: [...files],
    programs: [...project.programs().files],
    ...(skills.length === 0 ? {} : { brought: skills }),
  }
  await projects.decide(project, entry).catch((error: unknown) => {
    throw error instanceof DecisionTooLargeError ? invalidParam('cwd', error.message) : error
  })
}

/** Tells if programs of the project run in a sandbox; the sandbox is probed only if there are any. */
async function isSandboxed(project: Project, sandboxes: ProjectAtFolder['sandboxes']): Promise<boolean> {
  return !runsPrograms(project) || (await sandboxes.report()).enforcement === 'full'
}
