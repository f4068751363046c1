const cell = { width: 8.4, height: 18 }
const margin = 20

/** Returns rows of runs as an SVG with selectable text, without empty rows at the top and bottom. */
export function drawSvg(rows) {
  const first = rows.findIndex((row) => row.length > 0)
  const last = rows.findLastIndex((row) => row.length > 0)
  const shown = rows.slice(first, last + 1)
  const columns = Math.max(...shown.flatMap((row) => row.map(({ column, text }) => column + text.length)))
  const width = Math.ceil(columns * cell.width + 2 * margin)
  const height = Math.ceil(shown.length * cell.height + 2 * margin)
  const lines = shown.flatMap((row, index) => row.map((run) => drawRun(run, margin + (index + 0.8) * cell.height)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="parley asking before it applies a patch">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#c9d1d9" xml:space="preserve">
${lines.join('\n')}
</g>
</svg>
`
}

function drawRun({ text, column, color, bold, dim }, y) {
  const style = [
    color === null ? '' : ` fill="${color}"`,
    bold ? ' font-weight="bold"' : '',
    dim ? ' opacity="0.65"' : '',
  ].join('')
  const x = (margin + column * cell.width).toFixed(1)
  const length = (text.length * cell.width).toFixed(1)
  return `<text x="${x}" y="${y.toFixed(1)}" textLength="${length}"${style}>${escapeXml(text)}</text>`
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
