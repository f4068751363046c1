import { wireErrorMeanings, wireErrors } from '../../packages/protocol/src/errors.ts'
import { escaped } from './field-table.mjs'

export function errorSection() {
  const rows = Object.entries(wireErrors).map(
    ([code, number]) => `| \`${code}\` | ${number} | ${escaped(wireErrorMeanings[code])} |`,
  )
  return ['| `data.code` | `code` | |', '|---|---|---|', ...rows].join('\n')
}
