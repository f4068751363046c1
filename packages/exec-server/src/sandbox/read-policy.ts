import { isRecord } from '@parley/text'
import { pathOf } from '../wire/requests.ts'

/** Sandbox policy that a client requests, completely understood. */
export type SandboxPolicy =
  | { readonly kind: 'unconfined' }
  | {
      readonly kind: 'confined'
      readonly mode: 'read-only' | 'workspace-write'
      /** Normalised paths; null when the client named no paths. */
      readonly writableRoots: readonly string[] | null
      readonly network: boolean
      readonly unixSockets: boolean
      /** Further paths that must not be readable. */
      readonly masked: readonly string[]
      /** Name of the loopback that processes of equal limits share; null for one of its own. */
      readonly loopback: string | null
      /** Folder of the policy itself, not of the process. */
      readonly cwd: string | null
    }
  /** Unknown policy; a process run anyway would only seem to be sandboxed. */
  | { readonly kind: 'notUnderstood'; readonly why: string }

type PolicyFields = Readonly<Record<string, unknown>>

const repeatedField = 'it says the same thing twice'

/** Fields of other clients that mean nothing here, or request less than is always enforced. */
const harmless = new Set([
  'excludeTmpdirEnvVar',
  'excludeSlashTmp',
  'windowsSandboxLevel',
  'windowsSandboxPrivateDesktop',
  'useLegacyLandlock',
])

/**
 * Reads the spellings of existing clients: a name, or an object with `type` or `mode` in any case, alone or as
 * `sandboxPolicy` beside a `cwd`. An unknown field, maybe a limit, makes the policy unknown. Throws `invalidParams`.
 */
export function readSandboxPolicy(written: unknown): SandboxPolicy {
  if (written === undefined || written === null) return { kind: 'unconfined' }
  if (typeof written === 'string') return read({ mode: written })
  return isRecord(written) ? read(written) : notUnderstood('it is neither a name nor an object')
}

function read(written: PolicyFields): SandboxPolicy {
  const fields = camelCased(written)
  if (fields === null) return notUnderstood(repeatedField)
  const { sandboxPolicy, cwd, ...rest } = fields
  if (sandboxPolicy === undefined) return readPolicy(fields)
  const unknown = Object.keys(rest).find((key) => !harmless.has(key))
  if (unknown !== undefined) return notUnderstood(`its field ${unknown} is not known`)
  const policy = typeof sandboxPolicy === 'string' ? { mode: sandboxPolicy } : sandboxPolicy
  if (!isRecord(policy)) return notUnderstood('its sandboxPolicy is neither a name nor an object')
  const inner = camelCased(policy)
  if (inner === null || (cwd !== undefined && inner['cwd'] !== undefined)) return notUnderstood(repeatedField)
  return readPolicy({ ...inner, ...(cwd === undefined ? {} : { cwd }) })
}

/** Rejects limits beside full access, which would be dropped. */
function readUnconfined(limits: readonly unknown[]): SandboxPolicy {
  const isPlain = limits.every((limit) => limit === undefined || limit === null)
  return isPlain ? { kind: 'unconfined' } : notUnderstood('danger-full-access has no limits, and it names some')
}

function readPolicy(fields: PolicyFields): SandboxPolicy {
  const { type, mode, writableRoots, networkAccess, unixSockets, masked, sharedLoopback, cwd, ...rest } = fields
  const unknown = Object.keys(rest).find((key) => !harmless.has(key))
  if (unknown !== undefined) return notUnderstood(`its field ${unknown} is not known`)
  if (type !== undefined && mode !== undefined && nameOf(type) !== nameOf(mode))
    return notUnderstood('its type and its mode differ')
  const name = nameOf(type ?? mode)
  if (name === 'danger-full-access')
    return readUnconfined([writableRoots, networkAccess, unixSockets, masked, sharedLoopback])
  if (name !== 'read-only' && name !== 'workspace-write')
    return notUnderstood('it is none of read-only, workspace-write and danger-full-access')
  const network = switchOf(networkAccess, networkWords)
  const sockets = switchOf(unixSockets, {})
  if (network === null || sockets === null)
    return notUnderstood('whether it gives network or sockets is not said clearly')
  const loopback = sharedLoopback ?? null
  if (loopback !== null && (typeof loopback !== 'string' || !/^[\w.-]{1,64}$/.test(loopback)))
    return notUnderstood('its sharedLoopback is no name of at most 64 letters, digits, dots and dashes')
  return {
    kind: 'confined',
    mode: name,
    writableRoots: pathsOf(writableRoots, 'sandbox.writableRoots'),
    network,
    unixSockets: sockets,
    masked: pathsOf(masked, 'sandbox.masked') ?? [],
    loopback,
    cwd: pathsOf(cwd, 'sandbox.cwd')?.[0] ?? null,
  }
}

const networkWords: Readonly<Record<string, boolean>> = { enabled: true, restricted: false }

/** Returns the value of a switch, false when absent, and null when it is neither on nor off. */
function switchOf(value: unknown, words: Readonly<Record<string, boolean>>): boolean | null {
  if (value === undefined || value === null) return false
  if (typeof value === 'boolean') return value
  return typeof value === 'string' && Object.hasOwn(words, value) ? (words[value] ?? null) : null
}

function pathsOf(value: unknown, field: string): readonly string[] | null {
  if (value === undefined || value === null) return null
  const paths = Array.isArray(value) ? value : [value]
  return paths.map((path) => pathOf(typeof path === 'string' ? path : '', field))
}

function nameOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  return value.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replaceAll('_', '-')
}

/** Returns the fields in camel case; null when two spellings of one field are given. */
function camelCased(fields: PolicyFields): PolicyFields | null {
  const entries = Object.entries(fields).map(
    ([key, value]) => [key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), value] as const,
  )
  return new Set(entries.map(([key]) => key)).size === entries.length ? Object.fromEntries(entries) : null
}

function notUnderstood(why: string): SandboxPolicy {
  return { kind: 'notUnderstood', why }
}
