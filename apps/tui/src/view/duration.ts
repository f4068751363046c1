/** A time span for people: `40 ms`, `1.2 s`, `59 s`, `3 min 05 s`, `2 h 07 min`. */
export function formatDuration(durationMs: number): string {
  const spanMs = Math.max(0, Math.round(durationMs))
  if (spanMs < 1_000) return `${spanMs} ms`
  if (spanMs < 9_950) return `${(spanMs / 1_000).toFixed(1)} s`
  const seconds = Math.round(spanMs / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${pad(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`
}

function pad(count: number): string {
  return String(count).padStart(2, '0')
}
