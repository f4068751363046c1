import type { ServerArguments } from '../arguments.ts'

/** Returns the sockets of a command line, and its files by which others get in or pose as the server: hidden from commands. */
export function hiddenFiles({ listen, users, tokenFile, tls }: ServerArguments): readonly string[] {
  const sockets = listen.flatMap((address) => (address.kind === 'socket' ? [address.path] : []))
  return [...sockets, ...[users, tokenFile, tls?.keyFile ?? null].filter((file) => file !== null)]
}
