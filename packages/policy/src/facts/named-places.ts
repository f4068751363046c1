import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Enforcement, SandboxLimits } from '@parley/host'
import { liesWithin, realPathOf, systemErrorCode } from '@parley/workspace'
import type { NamedPlace } from '../decision/denial.ts'
import { pathsInOutput, placesMentioned, redirectTargets } from '../decision/named-paths.ts'
import { rootOf, type Writable } from './write-protection.ts'

export interface FailedCommand {
  readonly script: string
  readonly output: string
  /** Absolute. */
  readonly cwd: string
  readonly limits: SandboxLimits
  /** Of what enforces the limits. */
  readonly enforcement: Enforcement
  /** The user's, for `~`. */
  readonly home: string
  readonly guardOf: Writable['guardOf']
}

/** The places that a failed command of this machine names, each looked at with the rights of the user. */
export async function namedPlaces(command: FailedCommand): Promise<readonly NamedPlace[]> {
  const said = pathsInOutput(command.output)
  const written = redirectTargets(command.script).map((text) => ({ text, saidMissing: false }))
  const mentioned = placesMentioned(command.script)
  const [places, maskedOnly] = await Promise.all([
    Promise.all([...written, ...said].map(({ text, saidMissing }) => lookAt(text, saidMissing, command))),
    Promise.all(mentioned.map((text) => lookAt(text, true, command))),
  ])
  return [...places, ...maskedOnly].filter((place) => place !== null)
}

async function lookAt(text: string, saidMissing: boolean, command: FailedCommand): Promise<NamedPlace | null> {
  const { limits, enforcement, cwd, home } = command
  const absolute = resolve(cwd, text.replace(/^~(?=\/|$)/, home))
  const path = await realPathOf(absolute).catch(() => null)
  if (path === null || isOfTheSystem(path)) return null
  const masked = [absolute, path].some((place) => isMasked(place, limits))
  const unmakeable = enforcement === 'partial' && (await wouldBeMadeIn(limits, path))
  const writableInside = !unmakeable && (await letsWrite(path, command))
  const writableOutside = masked || writableInside ? true : await mayWrite(path)
  return { path, masked, unmakeable, writableInside, writableOutside, saidMissing }
}

/** A root within a masked place is seen there. */
function isMasked(place: string, { masked, writableRoots }: SandboxLimits): boolean {
  const over = masked.filter((secret) => liesWithin(place, secret))
  return over.some((secret) => !writableRoots.some((root) => liesWithin(root, secret) && liesWithin(place, root)))
}

/** There are others of these inside. */
function isOfTheSystem(path: string): boolean {
  return ['/dev', '/proc', '/sys'].some((folder) => liesWithin(path, folder))
}

/** As the sandbox is built: in the roots but for what is protected there, and in /tmp, which is its own. */
async function letsWrite(path: string, { limits, guardOf }: FailedCommand): Promise<boolean> {
  const { mode, writableRoots: roots } = limits
  if (rootOf(path, roots) === null) return liesWithin(path, '/tmp')
  return mode !== 'read-only' && (await guardOf([path], roots))[0] === null
}

/** Landlock grants what is in a root when the command starts, and cannot grant the root without its `.git`. */
async function wouldBeMadeIn(
  { mode, writableRoots }: Pick<SandboxLimits, 'mode' | 'writableRoots'>,
  path: string,
): Promise<boolean> {
  if (mode === 'read-only' || !(await isMissing(path))) return false
  const folder = dirname(path)
  return writableRoots.includes(folder) || wouldBeMadeIn({ mode, writableRoots }, folder)
}

async function isMissing(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(() => false, saysMissing)
}

function saysMissing(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT'
}

/** Something that is not there yet is made in the nearest folder that is. */
async function mayWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK)
    return true
  } catch (error) {
    return saysMissing(error) && dirname(path) !== path && mayWrite(dirname(path))
  }
}
