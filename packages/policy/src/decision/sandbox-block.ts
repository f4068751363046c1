import type { ApprovalPolicy, RunLimits, SandboxBlock } from '@parley/protocol'
import type { Decision } from './decide.ts'

/** Path that a failed command named, checked with the rights of the user. */
export interface CheckedPath {
  readonly path: string
  /** True when the sandbox hides it. */
  readonly masked: boolean
  /** True when the sandbox lets the command write or create it. */
  readonly writableInside: boolean
  /** True when it would be created directly in a writable folder, where a partial sandbox lets nothing be created. */
  readonly unmakeable: boolean
  /** True when the user could write or create it. */
  readonly writableOutside: boolean
  /** True when the command reports it missing, so it was read, not written. Ignored for a hidden path. */
  readonly saidMissing: boolean
}

interface FailedRun {
  readonly exitCode: number | null
  readonly triedNetwork: boolean
  readonly hasNetwork: boolean
  readonly checkedPaths: readonly CheckedPath[]
}

const maxPaths = 5

/**
 * Returns what the sandbox blocked in a failed command, or null. Decides by facts: the network attempts that the
 * kernel counted, and the rights to the paths that the output names. Words of the output alone are never enough.
 */
export function detectBlock({ exitCode, triedNetwork, hasNetwork, checkedPaths }: FailedRun): SandboxBlock | null {
  if (exitCode === 0) return null
  const network = triedNetwork && !hasNetwork
  const paths = [...new Set(checkedPaths.filter(isBlocked).map(({ path }) => path))].slice(0, maxPaths)
  return network || paths.length > 0 ? { paths, network } : null
}

function isBlocked({ masked, writableInside, writableOutside, saidMissing }: CheckedPath): boolean {
  if (masked) return true
  return !writableInside && writableOutside && !saidMissing
}

interface NoticeSettings {
  /** True when the model may ask for more rights. */
  readonly mayAsk: boolean
  readonly checkedPaths: readonly Pick<CheckedPath, 'path' | 'masked' | 'unmakeable'>[]
}

/**
 * Tells the model what the sandbox blocked and how to ask for it. States the limits only, which is true whatever the
 * command failed for.
 */
export function blockNotice({ paths, network }: SandboxBlock, { mayAsk, checkedPaths }: NoticeSettings): string {
  const hidden = paths.filter((path) => checkedPaths.some((checked) => checked.path === path && checked.masked))
  const unmade = paths.filter((path) => checkedPaths.some((checked) => checked.path === path && checked.unmakeable))
  const others = paths.filter((path) => !hidden.includes(path) && !unmade.includes(path))
  const limits = [
    ...(hidden.length > 0 ? [`it hides ${hidden.join(', ')}, where secrets are kept; ask the user`] : []),
    ...(unmade.length > 0 ? [`${unmadeText} ${unmade.join(', ')}`] : []),
    ...(others.length > 0 ? [`it does not let a command change or see ${others.join(', ')}`] : []),
    ...(network ? ['this tried to use the network, and it gives none'] : []),
  ].join('; ')
  const outside = unmade.length + others.length > 0
  return `(The sandbox: ${limits}.${mayAsk && (outside || network) ? ` ${howToAsk(outside)}` : ''})`
}

const unmadeText =
  'it is partial here, and lets nothing be made or removed directly in a writable folder, only in the folders within it; that keeps it from'

function howToAsk(outside: boolean): string {
  const parameter = outside ? 'escalate: true' : 'network: true'
  return `If it needs that, call shell again with ${parameter} and a reason; the user is asked.`
}

/** Second attempt of a blocked command: the question about it, and its limits after a yes. */
export interface Retry {
  readonly decision: Decision
  readonly limits: RunLimits
}

/**
 * Returns the retry that the user is asked about under `on-failure`, or null: with the network where only that was
 * missing, else outside the sandbox. No rule and no grant answers the question.
 */
export function retryAfter(block: SandboxBlock | null, policy: ApprovalPolicy, first: RunLimits): Retry | null {
  if (block === null || policy !== 'on-failure' || first.sandbox === 'none') return null
  const name = block.paths.length > 0 ? 'retry-outside' : 'retry-with-network'
  const decision = { verdict: 'ask', rule: { name: `builtin:${name}` }, reason: retryReason(block) } as const
  return block.paths.length > 0
    ? { decision: { ...decision, run: 'unsandboxed' }, limits: { sandbox: 'none', network: true } }
    : { decision: { ...decision, run: 'sandboxed' }, limits: { ...first, network: true } }
}

function retryReason({ paths, network }: SandboxBlock): string {
  const hidden = paths.length === 0 ? [] : [`does not let it change or see ${paths.join(', ')}`]
  const offline = network ? ['gives it no network'] : []
  return `it ran in the sandbox and failed: the sandbox ${[...hidden, ...offline].join(' and ')}`
}
