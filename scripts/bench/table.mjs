import { median } from './statistics.mjs'

/** Returns a row as text: what, median, min to max, budget, aim, verdict, and the median of another build. */
export function describeRow(row, values, others) {
  const middle = median(values)
  const cells = [
    row.what,
    `${shown(middle)} ${row.unit}`,
    `${shown(Math.min(...values))}–${shown(Math.max(...values))}`,
    limit(row.budget),
    limit(row.aim),
    verdictOn(row, middle),
  ]
  return others === null ? cells : [...cells, shown(median(others))]
}

export function heading(isCompared) {
  const cells = ['what', 'median', 'min–max', 'budget', 'aim', '']
  return isCompared ? [...cells, 'other'] : cells
}

/** Returns lines of one width, with every cell but the first aligned right. */
export function layOut(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column], column))
      .join('  ')
      .trimEnd(),
  )
  return [lines[0], '-'.repeat(widths.reduce((sum, width) => sum + width + 2, -2)), ...lines.slice(1)].join('\n')
}

function limit(value) {
  return value === undefined ? '' : shown(value)
}

/** Returns the verdict; empty for a row without a budget. */
function verdictOn({ budget, aim, more = false }, value) {
  if (budget === undefined) return ''
  const meets = (limit) => (more ? value >= limit : value <= limit)
  if (Number.isNaN(value)) return 'no figure'
  return meets(aim) ? 'ok, aim met' : meets(budget) ? 'ok' : 'OVER'
}

function pad(cell, width, column) {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width)
}

function shown(value) {
  if (Number.isNaN(value)) return '–'
  return value.toFixed(Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)
}
