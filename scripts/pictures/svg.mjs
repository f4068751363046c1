const cell = { width: 8.4, height: 18 }
const margin = 16

/** Returns a screen as an SVG with selectable text. `about` describes it for blind readers. */
export function drawSvg({ rows, cursor }, { cols, theme, about }) {
  const width = Math.ceil(cols * cell.width + 2 * margin)
  const height = Math.ceil(rows.length * cell.height + 2 * margin)
  const grounds = rows.flatMap((row, index) => row.flatMap((run) => drawGround(run, index)))
  const texts = rows.flatMap((row, index) => row.flatMap((run) => drawText(run, index)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeXml(about)}">
<rect width="100%" height="100%" rx="8" fill="${theme.background}"/>
${[...grounds, ...drawCursor(cursor, theme)].join('\n')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${theme.foreground}" xml:space="preserve" style="white-space:pre">
${texts.join('\n')}
</g>
</svg>
`
}

function drawGround({ background, column, width }, row) {
  return background === null ? [] : [rectangle({ column, row, width }, background)]
}

function drawCursor(cursor, { foreground }) {
  return cursor === null ? [] : [rectangle({ ...cursor, width: 1 }, foreground, ' opacity="0.45"')]
}

function rectangle({ column, row, width }, color, more = '') {
  const x = (margin + column * cell.width).toFixed(1)
  const y = (margin + row * cell.height).toFixed(1)
  return `<rect x="${x}" y="${y}" width="${(width * cell.width).toFixed(1)}" height="${cell.height}" fill="${color}"${more}/>`
}

function drawText({ text, column, width, color, bold, dim, italic, underline, strike }, row) {
  if (text.trim() === '') return []
  const lines = [...(underline ? ['underline'] : []), ...(strike ? ['line-through'] : [])]
  const style = [
    color === null ? '' : ` fill="${color}"`,
    bold ? ' font-weight="bold"' : '',
    italic ? ' font-style="italic"' : '',
    dim ? ' opacity="0.65"' : '',
    lines.length === 0 ? '' : ` text-decoration="${lines.join(' ')}"`,
  ].join('')
  // Viewers that collapse blanks would stretch the rest over their width.
  const shown = text.trim().replaceAll(' ', '\u00a0')
  const x = (margin + (column + text.indexOf(text.trim())) * cell.width).toFixed(1)
  const y = (margin + (row + 0.75) * cell.height).toFixed(1)
  const length = ((width - (text.length - shown.length)) * cell.width).toFixed(1)
  return [`<text x="${x}" y="${y}" textLength="${length}"${style}>${escapeXml(shown)}</text>`]
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
