import { createRequire } from 'node:module'
import { join } from 'node:path'
import { paletteColor } from './themes.mjs'

const require = createRequire(join(import.meta.dirname, '../../packages/testkit/package.json'))
const { Terminal } = require('@xterm/headless')

/** Resolves to the screen after these bytes: rows of runs of equal style, and the cursor, or null while it is hidden. */
export async function readScreen(bytes, { cols, rows }, theme) {
  const terminal = new Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true })
  await new Promise((resolve) => terminal.write(bytes, resolve))
  const { active } = terminal.buffer
  const lines = Array.from({ length: rows }, (_, row) => runsOf(active.getLine(active.baseY + row), cols, theme))
  const hidden = bytes.lastIndexOf('\x1b[?25l') > bytes.lastIndexOf('\x1b[?25h')
  return { rows: lines, cursor: hidden ? null : { column: active.cursorX, row: active.cursorY } }
}

/** Returns the runs of a row: `{text, column, width, color, background, bold, dim, italic, underline, strike}`. */
function runsOf(line, cols, theme) {
  const runs = []
  for (let column = 0; column < cols; column++) {
    const cell = line?.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const style = styleOf(cell, theme)
    const last = runs.at(-1)
    const text = cell.getChars() || ' '
    if (last !== undefined && isSameStyle(last, style)) {
      last.text += text
      last.width += cell.getWidth()
    } else runs.push({ text, column, width: cell.getWidth(), ...style })
  }
  return runs.filter(({ text, background }) => text.trimEnd() !== '' || background !== null)
}

function styleOf(cell, theme) {
  const color = cell.isFgDefault() ? null : colorOf(cell.isFgRGB(), cell.getFgColor(), theme)
  const background = cell.isBgDefault() ? null : colorOf(cell.isBgRGB(), cell.getBgColor(), theme)
  const inverse = cell.isInverse() !== 0
  return {
    color: inverse ? (background ?? theme.background) : color,
    background: inverse ? (color ?? theme.foreground) : background,
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    strike: cell.isStrikethrough() !== 0,
  }
}

function colorOf(isRgb, value, theme) {
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : paletteColor(value, theme)
}

const styleNames = ['color', 'background', 'bold', 'dim', 'italic', 'underline', 'strike']

function isSameStyle(a, b) {
  return styleNames.every((name) => a[name] === b[name])
}
