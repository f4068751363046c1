import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type ExecFlags, isMissingHere } from '../../cli/flags.ts'
import { systemCause } from '../../cli/messages.ts'

/** Returns why a file named by a flag cannot be used, or null. Checked before the run, which costs money. */
export function fileProblem(flags: ExecFlags): string | null {
  const { output, record, policy } = flags
  return (
    (output === undefined
      ? null
      : attempt(`The answer cannot be written to ${output}`, () => assertWritable(output))) ??
    (record === undefined ? null : attempt(`Nothing can be recorded in ${record}`, () => openForAppending(record))) ??
    (isMissingHere(policy, flags) ? `The policy file ${policy} does not exist.` : null)
  )
}

/** Writes the answer atomically. Returns the failure as a sentence, or null. */
export function writeAnswer(path: string, text: string): string | null {
  return attempt(`The answer could not be written to ${path}`, () => replaceFile(realPath(path), text))
}

function replaceFile(path: string, text: string): void {
  const known = statSync(path, { throwIfNoEntry: false })
  // Devices and pipes cannot be replaced.
  if (known !== undefined && !known.isFile()) {
    writeFileSync(path, text)
    return
  }
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text)
    if (known !== undefined) chmodSync(temporary, known.mode)
    renameSync(temporary, path)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

function assertWritable(path: string): void {
  const target = realPath(path)
  const known = statSync(target, { throwIfNoEntry: false })
  if (known?.isDirectory() === true) throw new Error('it is a folder')
  accessSync(known === undefined || known.isFile() ? dirname(target) : target, constants.W_OK)
}

function openForAppending(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

/** Resolves links, so that the target is replaced and not the link. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function attempt(what: string, act: () => void): string | null {
  try {
    act()
    return null
  } catch (error) {
    return `${what}: ${systemCause(error)}.`
  }
}
