import { thisMachine } from './setting-names.ts'

/** Returns a conversation's place as parameters for another one; without an environment the configured one counted. */
export function samePlace({
  meta: { cwd },
  settings: { environment = thisMachine },
}: {
  readonly meta: { readonly cwd: string }
  readonly settings: { readonly environment?: string }
}): { readonly cwd: string; readonly environment: string; readonly environmentCwd: string } {
  return { cwd, environment, environmentCwd: cwd }
}
