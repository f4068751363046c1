import type { Enforcement } from '@parley/host'

/** What confines processes, in the words of existing clients. */
export function sandboxType(enforcement: Exclude<Enforcement, 'none'>, platform: string): string {
  if (platform === 'darwin') return 'seatbelt'
  return enforcement === 'full' ? 'bubblewrap' : 'landlock'
}
