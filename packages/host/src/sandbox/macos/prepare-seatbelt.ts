import { assertStartable } from '../../spawn-failure.ts'
import type { GuardSurroundings } from '../guarded/find-guarded.ts'
import { guardedPlaces } from '../guarded/guarded-places.ts'
import type { SandboxLimits } from '../limits.ts'
import type { Sandbox } from '../sandbox.ts'
import { scratchOf } from '../scratch.ts'
import { intoScratch } from '../scratch-variables.ts'
import { seatbeltProfile } from './profile.ts'

export interface SeatbeltMachine extends GuardSurroundings {
  /** `sandbox-exec` by its absolute path. */
  readonly program: string
}

/**
 * Limits by the sandbox of macOS. It has no loopback of its own, so a test server needs the network, and no namespace
 * of processes.
 */
export async function prepareSeatbelt(limits: SandboxLimits, machine: SeatbeltMachine): Promise<Sandbox> {
  const roots = limits.mode === 'workspace-write' ? limits.writableRoots : []
  const guarded = await guardedPlaces(roots, machine)
  const { scratch, release } = await scratchOf(limits)
  const { text, parameters } = seatbeltProfile(limits, { scratch, guarded })
  const definitions = Object.entries(parameters).flatMap(([name, value]) => ['-D', `${name}=${value}`])
  return {
    limits,
    wrap(command) {
      assertStartable(command)
      const argv = [machine.program, '-p', text, ...definitions, '--', ...command.argv]
      return { argv, env: intoScratch(command.env, { folder: scratch, network: limits.network }), cwd: command.cwd }
    },
    release,
  }
}
