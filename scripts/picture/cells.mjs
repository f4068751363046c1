import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(join(import.meta.dirname, '../../packages/testkit/package.json'))
const { Terminal } = require('@xterm/headless')

/** Resolves to the screen after these bytes: rows of runs `{text, column, color, bold, dim}`. */
export async function readCells(bytes, { cols, rows }) {
  const terminal = new Terminal({ cols, rows, scrollback: 10_000, allowProposedApi: true })
  await new Promise((resolve) => terminal.write(bytes, resolve))
  const { active } = terminal.buffer
  return Array.from({ length: rows }, (_, row) => runsOf(active.getLine(active.baseY + row), cols))
}

function runsOf(line, cols) {
  const runs = []
  for (let column = 0; column < cols; column++) {
    const cell = line?.getCell(column)
    if (cell === undefined || cell.getWidth() === 0) continue
    const style = { color: colorOf(cell), bold: cell.isBold() !== 0, dim: cell.isDim() !== 0 }
    const last = runs.at(-1)
    const text = cell.getChars() || ' '
    if (last !== undefined && sameStyle(last, style)) last.text += text
    else runs.push({ text, column, ...style })
  }
  return runs
    .map((run) => ({ ...run, text: run.text.trimEnd() === '' ? '' : run.text }))
    .filter(({ text }) => text !== '')
}

function colorOf(cell) {
  if (cell.isFgDefault()) return null
  const value = cell.getFgColor()
  return cell.isFgRGB() ? `#${value.toString(16).padStart(6, '0')}` : (palette[value] ?? null)
}

function sameStyle(a, b) {
  return a.color === b.color && a.bold === b.bold && a.dim === b.dim
}

const palette = [
  '#484f58',
  '#ff7b72',
  '#3fb950',
  '#d29922',
  '#58a6ff',
  '#bc8cff',
  '#39c5cf',
  '#b1bac4',
  '#6e7681',
  '#ffa198',
  '#56d364',
  '#e3b341',
  '#79c0ff',
  '#d2a8ff',
  '#56d4dd',
  '#f0f6fc',
]
