import { secondsText } from '@parley/text'

/** Returns a duration for people: `40 ms`, `1.2 s`, `59 s`, `3 min 05 s`, `2 h 07 min`. */
export function formatDuration(durationMs: number): string {
  const spanMs = Math.max(0, Math.round(durationMs))
  if (spanMs < 1_000) return `${spanMs} ms`
  if (spanMs < 9_950) return secondsText(spanMs)
  const seconds = Math.round(spanMs / 1_000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${pad(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} min`
}

function pad(count: number): string {
  return String(count).padStart(2, '0')
}

const minuteMs = 60_000

const hourMs = 60 * minuteMs

const dayMs = 24 * hourMs

/** Returns the age of a time: `now`, `5 min ago`, `3 h ago`, `yesterday`, `12 days ago`, `3 months ago`. */
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

const units = ['KB', 'MB', 'GB', 'TB']

/** Returns a size for people, by powers of 1,024: `812 B`, `1.5 KB`, `24 MB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1_024) return `${Math.max(0, Math.round(sizeBytes))} B`
  let size = sizeBytes / 1_024
  let unit = 0
  while (Math.round(size) >= 1_024 && unit < units.length - 1) {
    size /= 1_024
    unit += 1
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}

/** Returns a number with thousands separators: `1,834`. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Returns a number of things: `1 file`, `1,834 files`. */
export function countOf(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** Returns the name of a conversation, or the beginning of its first message where it has no name. */
export function conversationName({ name, title }: { readonly name: string | null; readonly title: string }): string {
  return name ?? (title || '(no message)')
}

/** Returns a path with `~` for the home folder. */
export function shortPath(path: string, homeFolder: string): string {
  if (homeFolder === '' || homeFolder === '/') return path
  if (path === homeFolder) return '~'
  return path.startsWith(`${homeFolder}/`) ? `~${path.slice(homeFolder.length)}` : path
}

/** Returns a conversation's folder; on another machine the local home does not apply, so the path stays whole. */
export function placedPath(path: string, place: string | undefined, homeFolder: string): string {
  return place === undefined ? shortPath(path, homeFolder) : `${place}:${path}`
}
