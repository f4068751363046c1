import type { SandboxTier } from '@parley/host'

/** What confines processes, in the words of existing clients. */
export function sandboxType(tier: Exclude<SandboxTier, 'C' | 'D'>, platform: string): string {
  if (platform === 'darwin') return 'seatbelt'
  return tier === 'A' ? 'bubblewrap' : 'landlock'
}
