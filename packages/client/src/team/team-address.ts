import { isInTheClear } from '@parley/rpc'
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
  if (allowUnencrypted || !isInTheClear(address)) return
  throw new ClientError(
    'notSecure',
    `${address} is another machine and has no TLS: token and conversation would be read on the way. Use wss://, bring the server here through ssh, or permit it (allowUnencrypted, in the terminal --allow-unencrypted).`,
  )
}
