const named: Readonly<Record<string, string>> = {
  Enter: '\r',
  Escape: '\x1b',
  Tab: '\t',
  Space: ' ',
  Backspace: '\x7f',
  Delete: '\x1b[3~',
  Insert: '\x1b[2~',
  Up: '\x1b[A',
  Down: '\x1b[B',
  Right: '\x1b[C',
  Left: '\x1b[D',
  Home: '\x1b[H',
  End: '\x1b[F',
  PageUp: '\x1b[5~',
  PageDown: '\x1b[6~',
  'Shift+Tab': '\x1b[Z',
  // Kitty protocol; terminals without it cannot tell Shift+Enter from Enter.
  'Shift+Enter': '\x1b[13;2u',
  'Ctrl+Left': '\x1b[1;5D',
  'Ctrl+Right': '\x1b[1;5C',
}

/** Bytes that a terminal sends for a key: "Enter", "Ctrl+C", "Alt+B", "Alt+Enter", or one character. */
export function keyBytes(name: string): string {
  const known = named[name]
  if (known !== undefined) return known
  if (name.startsWith('Alt+')) return `\x1b${keyBytes(name.slice(4))}`
  const control = /^Ctrl\+([A-Z[\\\]^_])$/i.exec(name)?.[1]
  if (control !== undefined) return String.fromCharCode(control.toUpperCase().charCodeAt(0) & 0x1f)
  if ([...name].length === 1) return name
  throw new Error(`no such key: ${name}`)
}
