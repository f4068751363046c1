/** Returns a time by the minute: `2026-11-24 06:17 UTC`. */
export function formatTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
