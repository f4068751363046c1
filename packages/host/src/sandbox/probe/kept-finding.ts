import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCode } from '../../error-code.ts'
import { openUnlocked } from '../../locked-files.ts'
import type { FoundProgram } from './find-program.ts'
import type { Finding } from './finding.ts'
import type { Machine } from './machine.ts'

/** Findings of which something enforces limits; others are looked for anew at each start. */
type KeptEnforcement = 'full' | 'partial'

/**
 * All that a finding depends on: this boot, user and kernel, the namespaces we are in (a container may share our home),
 * the programs, this build of ours. Read at once: every start of a conversation waits for it.
 */
export function findingKey(machine: Machine, build: string = ownFile()): string {
  return JSON.stringify([
    orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'))?.trim() ?? '',
    orNull(() => readlinkSync('/proc/self/ns/user')) ?? '',
    orNull(() => readlinkSync('/proc/self/ns/mnt')) ?? '',
    process.getuid?.() ?? null,
    release(),
    describe(machine.bwrap),
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

function orNull<Value>(look: () => Value): Value | null {
  try {
    return look()
  } catch {
    return null
  }
}

function describe(program: FoundProgram | null): string {
  return program === null ? '' : `${program.path} ${program.modifiedMs} ${program.sizeBytes}`
}

/** Null when there is none for this key, or the file is not as we write it. */
export function readFinding(file: string, key: string): Finding | null {
  return orNull(() => {
    const content: unknown = JSON.parse(ownText(file))
    return isRecord(content) && content['key'] === key ? findingOf(content['finding']) : null
  })
}

/** Of a file that nobody else could have written; nothing of another. */
function ownText(file: string): string {
  const descriptor = openUnlocked(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { mode, uid } = fstatSync(descriptor)
    return (mode & 0o077) === 0 && uid === process.getuid?.() ? readFileSync(descriptor, 'utf8') : ''
  } finally {
    closeSync(descriptor)
  }
}

function findingOf(value: unknown): Finding | null {
  if (!isRecord(value)) return null
  const { enforcement, reason, bubblewrap, landlock } = value
  if (!isKept(enforcement) || typeof reason !== 'string') return null
  return {
    enforcement,
    reason,
    isSure: true,
    ...(typeof bubblewrap === 'string' ? { bubblewrap } : {}),
    ...(typeof landlock === 'number' ? { landlock } : {}),
  }
}

/** A finding that is not to be kept takes away the one that was. A file that cannot be written costs another search, no more. */
export async function keepFinding(file: string, key: string, finding: Finding): Promise<void> {
  try {
    if (!isKept(finding.enforcement) || !finding.isSure) {
      if (readFinding(file, key) !== null) await rm(file, { force: true })
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
    // Nothing is lost but time.
  }
}

/** One after the other: Node's `recursive` goes on for ever where the parent is there and answers ENOENT, as `/proc` does. */
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

function isKept(enforcement: unknown): enforcement is KeptEnforcement {
  return enforcement === 'full' || enforcement === 'partial'
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
