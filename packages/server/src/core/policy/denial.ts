import type { SandboxDenial } from '@parley/protocol'

/** A file or folder that a command which failed has to do with, looked at with the rights of the user. */
export interface NamedPlace {
  readonly path: string
  /** The sandbox hides it. */
  readonly masked: boolean
  /** The sandbox lets it be written, or made. */
  readonly writableInside: boolean
  /** The user could write it, or make it. */
  readonly writableOutside: boolean
  /** The command says itself that it is not there; then it was looked for, not written. Of a hidden one that says nothing. */
  readonly saidMissing: boolean
}

export interface FailedRun {
  readonly exitCode: number | null
  readonly triedNetwork: boolean
  readonly hasNetwork: boolean
  readonly places: readonly NamedPlace[]
}

const maxPaths = 5

/**
 * What a command that failed had asked for and its limits do not permit, or null. From facts: what the kernel counted,
 * and what may be done with the paths that it says it was refused. Words alone are never enough.
 */
export function denialOf({ exitCode, triedNetwork, hasNetwork, places }: FailedRun): SandboxDenial | null {
  if (exitCode === 0) return null
  const network = triedNetwork && !hasNetwork
  const paths = [...new Set(places.filter(isDenied).map(({ path }) => path))].slice(0, maxPaths)
  return network || paths.length > 0 ? { paths, network } : null
}

function isDenied({ masked, writableInside, writableOutside, saidMissing }: NamedPlace): boolean {
  if (masked) return true
  return !writableInside && writableOutside && !saidMissing
}

export interface ToldDenial {
  /** Whether the model can ask for more. */
  readonly mayAsk: boolean
}

/** For the model: what, and how to ask. It says what the limits are, which is true whatever the command failed for. */
export function tellDenial({ paths, network }: SandboxDenial, { mayAsk }: ToldDenial): string {
  const what = [
    ...(paths.length > 0 ? [`it does not let a command change or see ${paths.join(', ')}`] : []),
    ...(network ? ['this tried to use the network, and it gives none'] : []),
  ].join('; ')
  return `(The sandbox: ${what}.${mayAsk ? ` ${howToAsk(paths.length > 0)}` : ''})`
}

function howToAsk(outside: boolean): string {
  return outside
    ? 'If it needs that, call shell again with escalate: true and a reason; the user is asked.'
    : 'If it needs that, call shell again with network: true and a reason; the user is asked.'
}
