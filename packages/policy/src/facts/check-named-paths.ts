import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Enforcement, gitFoldersInTmp, type SandboxLimits } from '@parley/host'
import { errorCode } from '@parley/text'
import { isMasked, liesWithin, realPathOf } from '@parley/workspace'
import { absolutePathsInScript, type CheckedPath, pathsInOutput, redirectTargets } from '../decision/sandbox-block.ts'
import type { WritableRoots } from './gather-file-facts.ts'

export interface FailedCommand {
  readonly script: string
  readonly output: string
  /** Absolute path. */
  readonly cwd: string
  readonly limits: SandboxLimits
  /** Enforcement of the limits. */
  readonly enforcement: Enforcement
  /** Home folder of the user, for `~`. */
  readonly home: string
  readonly standingOf: WritableRoots['standingOf']
}

/** Checks every path that a failed command of this machine names, with the rights of the user. */
export async function checkNamedPaths(command: FailedCommand): Promise<readonly CheckedPath[]> {
  const reported = pathsInOutput(command.output)
  const written = redirectTargets(command.script).map((text) => ({ text, saidMissing: false }))
  const mentioned = absolutePathsInScript(command.script)
  const [failed, maskedOnly] = await Promise.all([
    Promise.all([...written, ...reported].map(({ text, saidMissing }) => checkPath(text, saidMissing, command))),
    Promise.all(mentioned.map((text) => checkPath(text, true, command))),
  ])
  return [...failed, ...maskedOnly].filter((checked) => checked !== null)
}

async function checkPath(text: string, saidMissing: boolean, command: FailedCommand): Promise<CheckedPath | null> {
  const { limits, enforcement, cwd, home } = command
  const absolute = resolve(cwd, text.replace(/^~(?=\/|$)/, home))
  const path = await realPathOf(absolute).catch(() => null)
  if (path === null || isSystemPath(path)) return null
  const masked = [absolute, path].some((one) => isMasked(one, limits.masked, limits.writableRoots))
  const unmakeable = enforcement === 'partial' && (await isMadeAtTop(limits, path))
  const writableInside = !unmakeable && (await sandboxLetsWrite(path, command))
  const writableOutside = masked || writableInside ? true : await userMayWrite(path)
  return { path, masked, unmakeable, writableInside, writableOutside, saidMissing }
}

/** Returns whether the sandbox has its own version of the path. */
function isSystemPath(path: string): boolean {
  return ['/dev', '/proc', '/sys'].some((folder) => liesWithin(path, folder))
}

/** Returns whether the sandbox lets a path be written: unprotected in the roots, or in /tmp, which is its own. */
async function sandboxLetsWrite(path: string, { limits, standingOf }: FailedCommand): Promise<boolean> {
  const { mode, writableRoots: roots } = limits
  const [standing] = await standingOf([path], roots)
  if (standing === undefined || standing.root === null) return isInOwnTmp(path, limits)
  return mode !== 'read-only' && standing.guard === null
}

function isInOwnTmp(path: string, limits: SandboxLimits): boolean {
  return liesWithin(path, '/tmp') && !gitFoldersInTmp(limits).some((folder) => liesWithin(path, folder))
}

/**
 * Returns whether a missing path would be created directly in a root. Landlock grants the entries of a root when the
 * command starts, and cannot grant the root without its `.git`.
 */
async function isMadeAtTop(
  { mode, writableRoots }: Pick<SandboxLimits, 'mode' | 'writableRoots'>,
  path: string,
): Promise<boolean> {
  if (mode === 'read-only' || !(await isMissing(path))) return false
  const folder = dirname(path)
  return writableRoots.includes(folder) || isMadeAtTop({ mode, writableRoots }, folder)
}

async function isMissing(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(() => false, saysMissing)
}

function saysMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT'
}

/** Returns whether the user may write a path. A missing one would be created in the nearest existing folder. */
async function userMayWrite(path: string): Promise<boolean> {
  try {
    await access(path, constants.W_OK)
    return true
  } catch (error) {
    return saysMissing(error) && dirname(path) !== path && userMayWrite(dirname(path))
  }
}
