import type { SpawnError } from '../command.ts'
import { signalGroup } from '../signals.ts'
import type { SandboxOutcome, SandboxWatch } from './sandbox.ts'

/** To the command's own group within its sandbox; false while there is none that is known. */
export function signalInside(watch: SandboxWatch | null, signal: NodeJS.Signals): boolean {
  const group = watch?.innerGroup() ?? null
  return group !== null && signalGroup(group, signal)
}

export function outcomeOf(watch: SandboxWatch | null): SandboxOutcome | null {
  return watch?.outcome() ?? null
}

const maxWords = 300

/** For a command of which nothing was run. What it seems to have said was said by the sandbox. */
export function sandboxFailure(said: Buffer | null): SpawnError {
  const line = said?.toString('utf8').trim().split('\n').at(-1)?.slice(0, maxWords) ?? ''
  const message = `The sandbox could not be set up${line === '' ? '' : `: ${line}`}`
  return { code: 'ENOSYS', subject: 'sandbox', message }
}
