import { markVariable } from '../../mark.ts'
import type { SandboxedCommand } from '../sandbox.ts'
import { type Inside, intoScratch } from '../scratch-variables.ts'

/**
 * The environment of the command as the script takes it, as it is to be inside. The mark is there by its own name too:
 * a sweep may come while the script still runs.
 */
export function hiddenEnvironment({ env }: SandboxedCommand, inside: Inside): Record<string, string> {
  const hidden = Object.entries(intoScratch(env, inside)).map(
    ([name, value], index) => [`E${index}`, `${name}=${value}`] as const,
  )
  const mark = env[markVariable]
  return { ...Object.fromEntries(hidden), ...(mark === undefined ? {} : { [markVariable]: mark }) }
}
