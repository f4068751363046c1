import { access, constants, lstat, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isRunning, readOwner, sessionPaths, walkSessions } from '@parley/journal'
import { type CheckupFinding, shortIdOf } from '@parley/protocol'
import { isMissing } from '@parley/text'
import { systemErrorReason } from '@parley/workspace'
import type { PolicyPorts } from '../policy/read-rules.ts'

const mebibyte = 1024 * 1024
/** Free space below which a long turn may fill the disk. */
const littleBytes = 500 * mebibyte
/** Free space below which nothing can be saved. */
const tooLittleBytes = 20 * mebibyte

/** Files in the home that are ignored once other users may read them. */
const secretFiles = [
  'server-token',
  'mcp-token',
  'app-server-token',
  'exec-server-token',
  'redaction.key',
  'credentials.json',
]
/** Files in the home that decide what runs unasked. */
const rulingFiles = ['config.toml', 'policy.toml']

/** Checks that the home folder is private and writable, and that its disk has room. */
export async function checkHome(home: string): Promise<CheckupFinding[]> {
  const facts = await stat(home).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (facts === null) return [await checkMissingHome(home)]
  if (!facts.isDirectory())
    return [problem(`${home} is not a folder`, 'Set PARLEY_HOME to a folder, or move that file away.')]
  return [await checkRights(home, facts), ...(await checkPrivate(home)), await checkDisk(home)]
}

function problem(text: string, remedy: string): CheckupFinding {
  return { name: 'home', level: 'problem', text, remedy }
}

/** Checks that a missing home can be made. */
async function checkMissingHome(home: string): Promise<CheckupFinding> {
  const reason = await whyNotWritable(await nearestFolder(home))
  if (reason !== null) return problem(`${home} cannot be made: ${reason}`, writeRemedy)
  return { name: 'home', level: 'ok', text: `${home} is not there yet; it is made with the first conversation` }
}

const writeRemedy =
  'Conversations cannot be kept there. Mend the rights, mount its disk writable, or set PARLEY_HOME to another folder.'

async function nearestFolder(path: string): Promise<string> {
  const folder = dirname(path)
  const exists = await access(folder).then(
    () => true,
    (error: unknown) => !isMissing(error),
  )
  return exists || folder === path ? folder : nearestFolder(folder)
}

/** Resolves to the reason why nothing can be written in a folder; null for a writable one. */
function whyNotWritable(folder: string): Promise<string | null> {
  return access(folder, constants.W_OK).then(() => null, systemErrorReason)
}

async function checkRights(home: string, { mode, uid }: { mode: number; uid: number }): Promise<CheckupFinding> {
  const own = process.getuid?.()
  if (own !== undefined && uid !== own && own !== 0)
    return problem(
      `${home} belongs to user ${uid}, and this is user ${own}`,
      'Set PARLEY_HOME to a folder of your own.',
    )
  const reason = await whyNotWritable(home)
  if (reason !== null) return problem(`${home} cannot be written to: ${reason}`, writeRemedy)
  if ((mode & 0o077) === 0) return { name: 'home', level: 'ok', text: `${home}, for you alone` }
  return {
    name: 'home',
    level: 'warning',
    text: `${home} has mode ${(mode & 0o777).toString(8)}: other users of this machine can look into it`,
    remedy: `chmod 700 ${home}`,
  }
}

async function checkPrivate(home: string): Promise<CheckupFinding[]> {
  const ruling = await openFiles(home, rulingFiles, 0o022)
  const secret = await openFiles(home, secretFiles, 0o077)
  const others = 'other users of this machine can'
  return [
    ...openCheck(home, ruling, `${others} change ${ruling.join(', ')}, and with it what runs unasked`),
    ...openCheck(home, secret, `${others} read or change ${secret.join(', ')}, so parley does not use it`),
  ]
}

/** Resolves to the names of files whose mode has one of these bits. */
async function openFiles(home: string, names: readonly string[], bits: number): Promise<string[]> {
  const modeOf = (name: string) =>
    lstat(join(home, name)).then(
      (facts) => (facts.isFile() ? facts.mode : 0),
      () => 0,
    )
  const modes = await Promise.all(names.map(modeOf))
  return names.filter((_, index) => ((modes[index] ?? 0) & bits) !== 0)
}

function openCheck(home: string, names: readonly string[], text: string): CheckupFinding[] {
  if (names.length === 0) return []
  return [problem(text, `chmod 600 ${names.map((name) => join(home, name)).join(' ')}`)]
}

async function checkDisk(home: string): Promise<CheckupFinding> {
  const { bavail, bsize } = await statfs(home)
  const freeBytes = bavail * bsize
  const text = `${Math.floor(freeBytes / mebibyte).toLocaleString('en')} MB free where conversations are kept`
  if (freeBytes >= littleBytes) return { name: 'disk', level: 'ok', text }
  const level = freeBytes < tooLittleBytes ? 'problem' : 'warning'
  return { name: 'disk', level, text, remedy: 'Make room: a full disk stops conversations.' }
}

/** Counts the conversations, and the conversations of killed processes. */
export function checkOwners({ files, home }: Pick<PolicyPorts, 'files' | 'home'>): CheckupFinding[] {
  const sessions = walkSessions(files, home)
  const owners = sessions.flatMap(({ id }) => {
    const paths = sessionPaths(home, id)
    const owner = paths === null ? null : readOwner(files, paths.owner)
    return owner === null ? [] : [{ id, isLive: isRunning(owner) }]
  })
  const abandoned = owners.filter(({ isLive }) => !isLive)
  const count: CheckupFinding = {
    name: 'conversations',
    level: 'ok',
    text: `${sessions.length} kept, ${owners.length - abandoned.length} open`,
  }
  if (abandoned.length === 0) return [count]
  const [first] = abandoned
  const text = `${abandoned.length} left by a process that was killed; nothing is lost, the kernel has freed the lock`
  const remedy = `parley resume ${first === undefined ? '' : shortIdOf(first.id)} goes on with it.`
  return [count, { name: 'conversations', level: 'warning', text, remedy }]
}
