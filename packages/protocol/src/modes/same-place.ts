import { thisMachine } from './setting-names.ts'

/**
 * Returns the folder and environment of a conversation as parameters for another one. Always names the environment,
 * since the default is the configured one.
 */
export function samePlace({
  meta: { cwd },
  settings: { environment = thisMachine },
}: {
  readonly meta: { readonly cwd: string }
  readonly settings: { readonly environment?: string }
}): { readonly cwd: string; readonly environment: string; readonly environmentCwd: string } {
  return { cwd, environment, environmentCwd: cwd }
}
