/** Colours of a terminal: text, background and the palette of 16. */
const dark = {
  foreground: '#c9d1d9',
  background: '#0d1117',
  palette: [
    ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
    ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#f0f6fc'],
  ],
}

const light = {
  foreground: '#1f2328',
  background: '#ffffff',
  palette: [
    ...['#24292f', '#cf222e', '#116329', '#9a6700', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
    ...['#57606a', '#a40e26', '#1a7f37', '#7d4e00', '#218bff', '#a475f9', '#3192aa', '#8c959f'],
  ],
}

const contrast = {
  foreground: '#ffffff',
  background: '#000000',
  palette: [
    ...['#000000', '#ff6060', '#60ff60', '#ffff60', '#8080ff', '#ff60ff', '#60ffff', '#ffffff'],
    ...['#a0a0a0', '#ff8080', '#80ff80', '#ffff80', '#a0a0ff', '#ff80ff', '#80ffff', '#ffffff'],
  ],
}

/** Terminals for scenes, by name; `config` has the settings of a user of such a terminal. */
export const themes = {
  dark: { ...dark, config: [] },
  light: { ...light, config: [] },
  contrast: { ...contrast, config: ['[tui]', 'theme = "high-contrast"'] },
}

/** Returns a colour of the palette of 256 as `#rrggbb`. */
export function paletteColor(index, { palette }) {
  if (index < 16) return palette[index]
  if (index >= 232) return hex(Array(3).fill(8 + (index - 232) * 10))
  const levels = [0, 95, 135, 175, 215, 255]
  const at = index - 16
  return hex([Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((level) => levels[level]))
}

function hex(channels) {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
