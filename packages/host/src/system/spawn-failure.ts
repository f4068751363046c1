import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { errorCode, errorMessage } from '@parley/text'
import { statOrNull } from './locked-files.ts'

const emptyName = 'The name of the program is empty'

export interface SpawnError {
  /** Errno name, such as `ENOENT`. */
  readonly code: string
  readonly message: string
  /** Part that was wrong; `system` is a limit or a missing resource of the machine. */
  readonly subject: 'program' | 'cwd' | 'arguments' | 'sandbox' | 'system'
}

/** Command as it was to be started. */
export interface StartAttempt {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** Thrown for a command that cannot be started; `subject` is the part that is wrong. */
export class SpawnFailedError extends Error {
  readonly code: string
  readonly subject: SpawnError['subject']
  constructor(code: string, subject: SpawnError['subject'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.subject = subject
  }
}

/** Explains a failure. The system reports a missing directory and a missing program alike, so both are checked. */
export function explainSpawnFailure(error: unknown, spec: StartAttempt): SpawnError {
  if (error instanceof SpawnFailedError) return { code: error.code, subject: error.subject, message: error.message }
  const code = errorCode(error) ?? 'EIO'
  switch (code) {
    case 'ENOENT':
    case 'EACCES':
    case 'ENOTDIR':
    case 'ELOOP':
      return cwdProblem(spec.cwd) ?? sandboxProblem(error, code, spec) ?? programProblem(code, spec)
    case 'ENOEXEC':
      return { code, subject: 'program', message: `${spec.argv[0]} is not a program this system can run` }
    case 'E2BIG':
      return { code, subject: 'arguments', message: 'The arguments and the environment are too long for this system' }
    case 'ERR_INVALID_ARG_VALUE':
      return {
        code: 'EINVAL',
        subject: 'arguments',
        message: spec.argv[0] === '' ? emptyName : 'An argument, the directory or the environment holds a NUL byte',
      }
    case 'EMFILE':
    case 'ENFILE':
      return { code, subject: 'system', message: 'Too many files are open' }
    case 'EAGAIN':
      return { code, subject: 'system', message: 'The limit of processes is reached' }
    default:
      return { code, subject: 'system', message: errorMessage(error) }
  }
}

/** Returns the exit code of a shell: 127 not found, 126 not executable, null where a shell would not have run. */
export function shellExitCode(error: SpawnError): number | null {
  if (error.code === 'E2BIG') return 126
  if (error.subject !== 'program') return null
  return error.code === 'ENOENT' ? 127 : 126
}

/** Blames the sandbox when the program that Node names is not the command's own: the sandbox put it before the command. */
function sandboxProblem(error: unknown, code: string, spec: StartAttempt): SpawnError | null {
  if (!(error instanceof Error) || !('path' in error) || error.path === spec.argv[0]) return null
  return { code, subject: 'sandbox', message: `The sandbox cannot be started: ${error.path} (${code})` }
}

function cwdProblem(cwd: string, locate: Locate = (path) => path): SpawnError | null {
  const place = locate(cwd)
  try {
    if (place === null) return unseenFolder(cwd)
    if (!statSync(place).isDirectory()) throw new SpawnFailedError('ENOTDIR', 'cwd', 'not a directory')
    accessSync(place, constants.X_OK)
    return null
  } catch (error) {
    const code = errorCode(error) ?? 'EIO'
    return { code, subject: 'cwd', message: `The working directory ${cwd} ${folderWords[code] ?? 'cannot be entered'}` }
  }
}

const folderWords: Readonly<Record<string, string>> = {
  ENOENT: 'is not there: it was removed or never made',
  ENOTDIR: 'is not a folder',
}

/** Describes a folder that a command in the sandbox would not see. */
function unseenFolder(cwd: string): SpawnError {
  const isThere = statSync(cwd, { throwIfNoEntry: false }) !== undefined
  const words = isThere ? 'cannot be entered: the sandbox hides it' : folderWords['ENOENT']
  return { code: 'ENOENT', subject: 'cwd', message: `The working directory ${cwd} ${words}` }
}

function programProblem(code: string, spec: StartAttempt, locate: Locate = (path) => path): SpawnError {
  const program = spec.argv[0] ?? ''
  if (program === '') return { code, subject: 'program', message: emptyName }
  if (code !== 'ENOENT') return { code, subject: 'program', message: `${program} may not be executed` }
  const where = program.includes('/') ? '' : ' on PATH'
  const message = isFound(program, spec, locate)
    ? `${program} names an interpreter that does not exist`
    : `${program} was not found${where}`
  return { code, subject: 'program', message }
}

/** Returns the outside path of the file that the command sees at a path; null where it sees nothing. */
export type Locate = (path: string) => string | null

/**
 * Checks a command that another program starts: that program's own failure would hide this one. Throws
 * `SpawnFailedError`.
 */
export function assertStartable(spec: StartAttempt, locate: Locate = (path) => path): void {
  const program = spec.argv[0] ?? ''
  const places = placesOf(program, spec).map(locate)
  const candidates = places.filter((place) => place !== null).filter(exists)
  const problem =
    cwdProblem(spec.cwd, locate) ??
    (candidates.some(isExecutable) ? null : programProblem(candidates.length > 0 ? 'EACCES' : 'ENOENT', spec, locate))
  if (problem !== null) throw new SpawnFailedError(problem.code, problem.subject, problem.message)
}

function isFound(program: string, spec: StartAttempt, locate: Locate): boolean {
  return placesOf(program, spec).some((place) => exists(locate(place) ?? ''))
}

function placesOf(program: string, spec: StartAttempt): string[] {
  const folders = program.includes('/') ? [''] : (spec.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => resolve(spec.cwd, folder, program))
}

function exists(path: string): boolean {
  return statOrNull(path)?.isFile() === true
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
