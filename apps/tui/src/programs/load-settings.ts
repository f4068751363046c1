import type { Parley } from '@parley/client'
import type { Overrides } from '@parley/protocol'
import { connect } from '../cli/connect.ts'
import { ParleyError } from '../cli/exit-codes.ts'
import { workingFolder } from '../cli/folders.ts'
import type { Launch } from '../cli/launch-server.ts'
import type { UserPrograms } from './user-programs.ts'

interface Window {
  readonly parley: Pick<Parley, 'request'>
  readonly launch: Launch
  readonly overrides: Overrides
}

/**
 * Loads the settings of a window. They name programs of this machine: a window at a named server reads them from the
 * configuration here, through a server of its own.
 */
export async function loadSettings(
  programs: Pick<UserPrograms, 'load' | 'warn'>,
  { parley, launch, overrides }: Window,
): Promise<void> {
  const cwd = workingFolder()
  if (launch.server === null) return await programs.load(parley, { ...overrides, cwd: overrides.cwd ?? cwd })
  try {
    await using own = await connect(
      { ...launch, server: null, early: null },
      { clientName: 'parley-config', onNotice: () => undefined },
    )
    await programs.load(own, { cwd, config: ofWindow(overrides.config ?? {}) })
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    programs.warn(`The configuration of this window cannot be read, so the usual settings count: ${error.message}`)
  }
}

/** Returns the keys about the window; the named server gets the rest. */
function ofWindow(config: NonNullable<Overrides['config']>): NonNullable<Overrides['config']> {
  return Object.fromEntries(Object.entries(config).filter(([key]) => /^(?:notify|tui)(?:\.|$)/.test(key)))
}
