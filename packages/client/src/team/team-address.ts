import { ClientError } from '../connection/errors.ts'

/** Means to reach the servers of a team. */
export interface TeamAccess {
  /** Token that every server of the team knows. */
  readonly token?: string
  /** Certificates, in PEM, of authorities that sign those of `wss://` servers. Default: those of Node. */
  readonly ca?: string
  /** Permits `ws://` to other machines, where everybody on the way reads the token and the conversation. */
  readonly allowUnencrypted?: boolean
}

/** Throws `notSecure` for an address of another machine without TLS, unless it is permitted. */
export function assertSecure(address: string, { allowUnencrypted = false }: TeamAccess): void {
  if (allowUnencrypted || isSecure(address)) return
  const otherwise =
    'Use wss://, bring the server here through ssh, or permit it (allowUnencrypted, in the terminal --allow-unencrypted).'
  throw new ClientError('notSecure', `${notSecure(address)} ${otherwise}`)
}

/** Tells if nobody on the way to an address reads what is sent there. */
export function isSecure(address: string): boolean {
  return !address.startsWith('ws:') || isLoopback(address)
}

/** Returns the sentence on an address that is not. */
export function notSecure(address: string): string {
  return `${address} is another machine and has no TLS: token and conversation would be read on the way.`
}

function isLoopback(address: string): boolean {
  const host = URL.parse(address)?.hostname ?? ''
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
