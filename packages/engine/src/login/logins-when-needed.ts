import type { CredentialStore } from '@parley/credentials'
import type { LoginPorts, Logins } from './logins.ts'

interface LoginSources extends Pick<LoginPorts, 'redaction' | 'clock'> {
  readonly machine: Pick<LoginPorts, 'home' | 'env'>
  readonly providers: Pick<LoginPorts, 'fetch'> & { readonly credentials: CredentialStore }
}

/** Returns a function to the logins of this process; it loads their code at its first call. */
export function loginsWhenNeeded(
  { machine: { home, env }, providers: { credentials: store, fetch }, redaction, clock }: LoginSources,
  { announce, restart, report }: Pick<LoginPorts, 'announce' | 'restart' | 'report'>,
): () => Promise<Logins> {
  const ports = { home, env, store, redaction, clock, fetch, announce, restart, report }
  let opened: Promise<Logins> | null = null
  return () => {
    opened ??= import('./logins.ts').then(({ createLogins }) => createLogins(ports))
    return opened
  }
}
