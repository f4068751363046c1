import type { SandboxBlock } from '@parley/protocol'

/** A file or folder that a command which failed has to do with, looked at with the rights of the user. */
export interface NamedPlace {
  readonly path: string
  /** The sandbox hides it. */
  readonly masked: boolean
  /** The sandbox lets it be written, or made. */
  readonly writableInside: boolean
  /** It would be made directly in a writable folder, where a partial sandbox lets nothing be made. */
  readonly unmakeable: boolean
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
export function blockOf({ exitCode, triedNetwork, hasNetwork, places }: FailedRun): SandboxBlock | null {
  if (exitCode === 0) return null
  const network = triedNetwork && !hasNetwork
  const paths = [...new Set(places.filter(isDenied).map(({ path }) => path))].slice(0, maxPaths)
  return network || paths.length > 0 ? { paths, network } : null
}

function isDenied({ masked, writableInside, writableOutside, saidMissing }: NamedPlace): boolean {
  if (masked) return true
  return !writableInside && writableOutside && !saidMissing
}

export interface ToldBlock {
  /** Whether the model can ask for more. */
  readonly mayAsk: boolean
  /** What is known of the paths. */
  readonly places: readonly Pick<NamedPlace, 'path' | 'masked' | 'unmakeable'>[]
}

/** For the model: what, and how to ask. It says what the limits are, which is true whatever the command failed for. */
export function tellBlock({ paths, network }: SandboxBlock, { mayAsk, places }: ToldBlock): string {
  const hidden = paths.filter((path) => places.some((place) => place.path === path && place.masked))
  const unmade = paths.filter((path) => places.some((place) => place.path === path && place.unmakeable))
  const others = paths.filter((path) => !hidden.includes(path) && !unmade.includes(path))
  const what = [
    ...(hidden.length > 0 ? [`it hides ${hidden.join(', ')}, where secrets are kept; ask the user`] : []),
    ...(unmade.length > 0 ? [`${unmadeText} ${unmade.join(', ')}`] : []),
    ...(others.length > 0 ? [`it does not let a command change or see ${others.join(', ')}`] : []),
    ...(network ? ['this tried to use the network, and it gives none'] : []),
  ].join('; ')
  const outside = unmade.length + others.length > 0
  return `(The sandbox: ${what}.${mayAsk && (outside || network) ? ` ${howToAsk(outside)}` : ''})`
}

const unmadeText =
  'it is partial here, and lets nothing be made or removed directly in a writable folder, only in the folders within it; that keeps it from'

function howToAsk(outside: boolean): string {
  const wish = outside ? 'escalate: true' : 'network: true'
  return `If it needs that, call shell again with ${wish} and a reason; the user is asked.`
}
