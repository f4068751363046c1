import type { Prepare } from '../found.ts'
import { isWithin } from '../is-within.ts'
import type { Finding } from './finding.ts'
import type { Machine } from './machine.ts'

/** What puts the limits around a command as this finding says, with what it has to know of the machine. Loaded when it is needed. */
export function preparer(finding: Finding, machine: Machine): Prepare {
  const { enforcement, reason, bubblewrap, landlock } = finding
  const { arch, bwrap, perl, sandboxExec } = machine
  if (enforcement === 'full' && sandboxExec !== null)
    return trusting(sandboxExec.path, bySeatbelt(sandboxExec.path, machine))
  if (enforcement === 'full' && bwrap !== null && bubblewrap !== undefined) {
    return trusting(bwrap.path, byBubblewrap(machine, bwrap.path, bubblewrap))
  }
  if (enforcement === 'partial' && perl !== null && landlock !== undefined) {
    return trusting(perl.path, async (limits) => {
      const { prepareLandlock } = await import('../landlock/prepare-landlock.ts')
      const { isFilterArch } = await import('../seccomp/filter.ts')
      if (!isFilterArch(arch)) throw new Error(reason)
      return prepareLandlock(limits, { ...machine, program: perl.path, version: landlock, arch })
    })
  }
  return () => Promise.reject(new Error(reason))
}

function byBubblewrap(machine: Machine, program: string, version: string): Prepare {
  return async (limits) => {
    const { prepareBubblewrap } = await import('../bubblewrap/prepare-bubblewrap.ts')
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
    return prepareBubblewrap(limits, { ...machine, program, version: [major, minor, patch] })
  }
}

function bySeatbelt(program: string, machine: Machine): Prepare {
  return async (limits) => {
    const { prepareSeatbelt } = await import('../macos/prepare-seatbelt.ts')
    return prepareSeatbelt(limits, { ...machine, program })
  }
}

/** What a command could have changed enforces nothing on the next. */
function trusting(program: string, prepare: Prepare): Prepare {
  return (limits) => {
    const isChangeable =
      limits.mode === 'workspace-write' && limits.writableRoots.some((root) => isWithin(program, root))
    if (!isChangeable) return prepare(limits)
    return Promise.reject(new Error(`${program}, which enforces the limits, lies where commands may write`))
  }
}
