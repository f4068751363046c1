import { randomUUID } from 'node:crypto'
import { constants, fstatSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCode, isRecord, orNull } from '@parley/text'
import { withUnlocked } from '../../system/locked-files.ts'
import type { FoundProgram } from '../../system/programs.ts'
import type { Finding, Machine } from './machine.ts'

/**
 * Returns all that a finding depends on: boot, user, kernel, namespaces (a container may share the home), programs and
 * this build. Synchronous, because every start of a conversation waits for it.
 */
export function findingKey(machine: Machine, build: string = ownFile()): string {
  return JSON.stringify([
    orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))?.trim() ?? '',
    orNull(() => readlinkSync('/proc/self/ns/user')) ?? '',
    orNull(() => readlinkSync('/proc/self/ns/mnt')) ?? '',
    process.getuid?.() ?? null,
    release(),
    describe(machine.bwrap),
    describe(machine.nsenter),
    describe(machine.perl),
    describe(machine.sandboxExec),
    process.execPath,
    build,
  ])
}

function ownFile(): string {
  const ours = orNull(() => statSync(fileURLToPath(import.meta.url)))
  return ours === null ? '' : `${ours.mtimeMs} ${ours.size}`
}

function describe(program: FoundProgram | null): string {
  return program === null ? '' : `${program.path} ${program.modifiedMs} ${program.sizeBytes}`
}

/** Returns the finding kept for this key; null when it is missing or the file is not valid. */
export function readCachedFinding(file: string, key: string): Finding | null {
  return orNull(() => {
    const content: unknown = JSON.parse(ownText(file))
    return isRecord(content) && content['key'] === key ? findingOf(content['finding']) : null
  })
}

/** Returns the text of a file that only this user could have written; of another file, the empty text. */
function ownText(file: string): string {
  return withUnlocked(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK, (descriptor) => {
    const { mode, uid } = fstatSync(descriptor)
    return (mode & 0o077) === 0 && uid === process.getuid?.() ? readFileSync(descriptor, 'utf8') : ''
  })
}

function findingOf(value: unknown): Finding | null {
  if (!isRecord(value)) return null
  const { enforcement, reason, bubblewrap, landlock, sharesLoopback } = value
  if (!isKept(enforcement) || typeof reason !== 'string') return null
  return {
    enforcement,
    reason,
    isSure: true,
    ...(typeof bubblewrap === 'string' ? { bubblewrap } : {}),
    ...(typeof landlock === 'number' ? { landlock } : {}),
    ...(sharesLoopback === true ? { sharesLoopback } : {}),
  }
}

/** Writes a finding, or removes the kept one if this one is not to be kept. A failed write costs only another search. */
export async function cacheFinding(file: string, key: string, finding: Finding): Promise<void> {
  try {
    if (!isKept(finding.enforcement) || !finding.isSure) {
      if (readCachedFinding(file, key) !== null) await rm(file, { force: true })
      return
    }
    await makeFolder(dirname(file))
    const written = `${file}.${randomUUID()}`
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    const handle = await open(written, flags, 0o600)
    try {
      await handle.writeFile(JSON.stringify({ key, finding }))
    } finally {
      await handle.close()
    }
    await rename(written, file)
  } catch {
    // The next start searches again.
  }
}

/** Makes folders one by one: Node's `recursive` never ends where an existing parent answers ENOENT, as `/proc` does. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST') return
    if (code !== 'ENOENT' || dirname(path) === path) throw error
    await makeFolder(dirname(path))
    await mkdir(path, { mode: 0o700 })
  }
}

/** Returns false without enforcement: the search is then repeated at each start. */
function isKept(enforcement: unknown): enforcement is 'full' | 'partial' {
  return enforcement === 'full' || enforcement === 'partial'
}
