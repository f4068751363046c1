import { stripVTControlCharacters } from 'node:util'
import { cellWidth } from '../../packages/presentation/src/text/width.ts'

const beyondPrintableAscii = /[^ -~]/
const escapeStart = /[\u001b\u009b]/

/** Stands in for the string-width package inside Ink: our own table, its signature. */
export default function stringWidth(input, options = {}) {
  if (typeof input !== 'string' || input === '') return 0
  if (!beyondPrintableAscii.test(input)) return input.length
  const { ambiguousIsNarrow = true, countAnsiEscapeCodes = false } = options
  const text = countAnsiEscapeCodes || !escapeStart.test(input) ? input : stripVTControlCharacters(input)
  return cellWidth(text, ambiguousIsNarrow ? 1 : 2)
}
