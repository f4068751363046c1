const units = ['KB', 'MB', 'GB', 'TB']

/** A size for people, by powers of 1,024: `812 B`, `1.5 KB`, `24 MB`. */
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
