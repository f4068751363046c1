import type { ProgramByName } from '@parley/text'
import type { EnvVariables } from '../cli/folders.ts'
import { startProgram } from '../processes/start-program.ts'

/** Returns false where no browser can open: in an ssh session, and on Linux without a display. */
export function hasDesktop(env: EnvVariables, platform: NodeJS.Platform = process.platform): boolean {
  if ((env['SSH_CONNECTION'] ?? '') !== '') return false
  return platform === 'darwin' || [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((display) => (display ?? '') !== '')
}

/** Opens a web address in the user's browser. Does nothing without a browser: the address is on the screen. */
export function openBrowser(url: string, env: EnvVariables): void {
  // An issuer names the address, and the desktop would start other programs for other schemes.
  if (!/^https?:\/\//i.test(url)) return
  const program: ProgramByName = process.platform === 'darwin' ? 'open' : 'xdg-open'
  startProgram([program, url], { cwd: '/', env, detached: true, stdio: 'ignore' }, () => undefined)?.unref()
}
