/** Formats a size for messages: `812 bytes`, `64.0 KiB`, `1.5 GiB`. */
export function formatBytes(sizeBytes: number): string {
  if (sizeBytes < 1024) return sizeBytes === 1 ? '1 byte' : `${sizeBytes} bytes`
  const units = ['KiB', 'MiB', 'GiB', 'TiB']
  let size = sizeBytes / 1024
  let unit = 0
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${size.toFixed(1)} ${units[unit]}`
}

/** Escapes the control and formatting characters of a path as `\uXXXX`, so that it cannot move a cursor or break a line. */
export function visiblePath(path: string): string {
  return path.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
}

/** Returns at most `maxChars` UTF-16 units of a text without splitting a surrogate pair. */
export function clipAtCharacter(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const last = text.charCodeAt(maxChars - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars)
}
