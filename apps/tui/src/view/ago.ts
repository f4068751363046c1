const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How long ago, in one word or two: `now`, `5 min ago`, `3 h ago`, `yesterday`, `12 days ago`, `3 months ago`. */
export function formatAgo(atMs: number, nowMs: number): string {
  const spanMs = nowMs - atMs
  if (spanMs < minuteMs) return 'now'
  if (spanMs < hourMs) return `${Math.floor(spanMs / minuteMs)} min ago`
  if (spanMs < dayMs) return `${Math.floor(spanMs / hourMs)} h ago`
  const days = Math.floor(spanMs / dayMs)
  if (days === 1) return 'yesterday'
  if (days < 60) return `${days} days ago`
  return days < 730 ? `${Math.floor(days / 30)} months ago` : `${Math.floor(days / 365)} years ago`
}
