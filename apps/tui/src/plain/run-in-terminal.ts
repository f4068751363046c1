import { connect } from '../cli/connect.ts'
import { overridesOf } from '../cli/flags.ts'
import { workingFolder } from '../cli/folders.ts'
import { isPlainAsked, mayBePlain } from '../cli/plain-mode.ts'
import type { Extra } from '../conversation/open-conversation.ts'
import type { SessionStart } from '../conversation/start-conversation.ts'
import type { WindowLaunch } from '../ink/run-interactive.ts'

/** Runs a conversation on the terminal until the user leaves: in plain lines on request, else in a window. */
export async function runInTerminal(opened: WindowLaunch, start: SessionStart, extra: Extra = {}): Promise<number> {
  const { launch, window } = opened
  if (window === null && (await isPlain(opened, start))) {
    const { runPlain } = await import('./run-plain.ts')
    return runPlain({ launch, start, extra })
  }
  await window?.keysShown()
  const { runInteractive } = await import('../ink/run-interactive.ts')
  await window?.keysShown()
  return runInteractive(opened, start, extra)
}

/** Asks a server of its own for the configuration if it may ask for plain lines; the first server serves the session. */
async function isPlain({ launch }: WindowLaunch, { flags }: SessionStart): Promise<boolean> {
  if (isPlainAsked(flags.plain === true, launch.env)) return true
  if (!mayBePlain(process.argv.slice(2), launch.env)) return false
  const overrides = overridesOf(flags)
  await using parley = await connect({ ...launch, early: null }, { clientName: 'parley-config' })
  const config = await parley.request('config/read', { ...overrides, cwd: overrides.cwd ?? workingFolder() })
  return config.values.some(({ key, value }) => key === 'tui.plain' && value === true)
}
