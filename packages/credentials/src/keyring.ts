import { createHash } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { findProgram, type Host } from '@parley/host'

/** Keyring of the operating system, asked by a process of its own. It is never made to ask for its password. */
export interface Keyring {
  /** Resolves to the kept text; null without one, and where the keyring is locked or does not answer within 2 s. */
  read(name: string): Promise<string | null>
  /** Resolves to false when the text is not kept. */
  write(name: string, text: string): Promise<boolean>
  /** Resolves to false when the keyring did not answer. */
  remove(name: string): Promise<boolean>
}

interface KeyringPorts {
  readonly host: Host
  readonly env: Readonly<Record<string, string | undefined>>
  /** `$PARLEY_HOME`, which tells the entries of several homes apart. */
  readonly home: string
  readonly platform: NodeJS.Platform
  /** Folders with `secret-tool` and `dbus-send`, or `security`. The PATH is not used: it may lead into a project. */
  readonly folders: readonly string[]
}

const answerMs = 2_000

/** Variables that tell a program the address of the session's bus. */
const busVariables = ['DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'HOME', 'LANG'] as const

/** Folders of the system's own programs. */
export const systemFolders: readonly string[] = ['/usr/bin', '/bin', '/run/current-system/sw/bin']

/** Opens the keyring of the system; null where its programs are missing. */
export function openKeyring(ports: KeyringPorts): Keyring | null {
  return ports.platform === 'darwin' ? openKeychain(ports) : openSecretService(ports)
}

/** Opens the keyring of the desktop (Secret Service); null also where the session's bus is missing. */
function openSecretService({ host, env, home, folders }: KeyringPorts): Keyring | null {
  const secretTool = findProgram('secret-tool', folders)?.path
  const dbusSend = findProgram('dbus-send', folders)?.path
  if (secretTool === undefined || dbusSend === undefined || env['DBUS_SESSION_BUS_ADDRESS'] === undefined) return null
  const shared = Object.fromEntries(busVariables.map((name) => [name, env[name] ?? '']))
  const ask = (argv: readonly string[], input = '') => runBriefly(host, { argv, env: shared }, input)
  const attributes = (name: string) => ['service', 'parley', 'home', home, 'name', name]
  const isUnlocked = async () => /\bboolean false\b/.test((await ask([dbusSend, ...lockedQuestion])) ?? '')
  return {
    async read(name) {
      if (!(await isUnlocked())) return null
      const found = await ask([secretTool, 'lookup', ...attributes(name)])
      return found === null || found === '' ? null : found
    },
    async write(name, content) {
      if (!(await isUnlocked())) return false
      const stored = await ask([secretTool, 'store', `--label=parley: ${name}`, ...attributes(name)], content)
      return stored !== null && (await ask([secretTool, 'lookup', ...attributes(name)])) === content
    },
    async remove(name) {
      if (!(await isUnlocked())) return false
      return (await ask([secretTool, 'clear', ...attributes(name)])) !== null
    },
  }
}

/** Asks for the property `Locked`, since `secret-tool` would open a window to unlock the collection. */
const lockedQuestion = [
  '--session',
  '--print-reply',
  '--reply-timeout=1500',
  '--dest=org.freedesktop.secrets',
  '/org/freedesktop/secrets/aliases/default',
  'org.freedesktop.DBus.Properties.Get',
  'string:org.freedesktop.Secret.Collection',
  'string:Locked',
] as const

/** Characters that mean themselves in a line of `security -i`. */
const plainName = /^[\w./@-]+$/
/** Longest line, in characters, that `security -i` takes whole. */
const maxLine = 4_000

/**
 * Opens the login keychain of macOS. A text that its program does not take is not kept: one too long, or with a name of
 * unusual characters. The text is encoded, because the program prints some texts as hexadecimal numbers.
 */
function openKeychain({ host, env, home, folders }: KeyringPorts): Keyring | null {
  const security = findProgram('security', folders)?.path
  if (security === undefined) return null
  const shared = Object.fromEntries(['HOME', 'USER', 'LANG'].map((name) => [name, env[name] ?? '']))
  const ask = (argv: readonly string[], input = '') => runBriefly(host, { argv, env: shared }, input)
  const ofHome = createHash('sha256').update(home).digest('hex').slice(0, 12)
  const entry = (name: string) => ['-s', 'parley', '-a', `${name}@${ofHome}`]
  const read = async (name: string) => {
    const found = (await ask([security, 'find-generic-password', ...entry(name), '-w']))?.trim() ?? ''
    return found === '' ? null : Buffer.from(found, 'base64').toString()
  }
  return {
    read,
    async write(name, content) {
      // The line goes through stdin: every user of the machine can list the arguments of a program.
      const base64 = Buffer.from(content).toString('base64')
      const line = ['add-generic-password', '-U', ...entry(name), '-w', base64].join(' ')
      if (!plainName.test(name) || line.length > maxLine) return false
      await ask([security, '-i'], `${line}\n`)
      return (await read(name)) === content
    },
    remove: async (name) => (await ask([security, 'delete-generic-password', ...entry(name)])) !== null,
  }
}

/** Runs a program for 2 s at most. Resolves to its output; null when it failed or was stopped. */
async function runBriefly(
  host: Host,
  program: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> },
  input: string,
): Promise<string | null> {
  const child = host.spawnStreams({ ...program, cwd: '/' })
  const expired = setTimeout(() => void child.stop(0), answerMs)
  try {
    const output = child.stdout === null ? Promise.resolve('') : text(child.stdout).catch(() => '')
    child.stderr?.resume()
    child.stdin?.end(input)
    const [{ exitCode }, answer] = await Promise.all([child.ended, output])
    return exitCode === 0 ? answer : null
  } finally {
    clearTimeout(expired)
  }
}
