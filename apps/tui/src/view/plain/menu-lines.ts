import { shownName, strippedLine } from '@parley/presentation/text/control-characters'
import { formatAgo, placedPath } from '@parley/presentation/text/formats'
import { type Menu, type MenuRow, matching } from '../../ui/menu/menu.ts'

interface MenuTimes {
  readonly homeFolder: string
  readonly nowMs: number
}

/** Rows of a list that are printed; a typed word finds the others. */
const maxRows = 30

/** Returns the list with numbers to type, or the warning of the row that was chosen. */
export function menuLines(menu: Menu, around: MenuTimes): readonly string[] {
  const { title, rows, problem, confirming, folder, isFolderOnly } = menu
  if (rows === null) return []
  const found = matching(menu)
  const chosen = found.findIndex(({ key }) => key === confirming)
  const warning = found[chosen]?.warning
  if (warning !== undefined && warning !== null)
    return [`Warning: ${shownName(warning)} Type ${chosen + 1} again to take it, or cancel.`]
  const shown = found.slice(0, maxRows).map((row, index) => `  ${index + 1}: ${rowWords(row, around)}`)
  const more = found.length > shown.length ? [`  and ${found.length - shown.length} more`] : []
  const none = problem !== null ? [`  ${shownName(problem)}`] : found.length === 0 ? ['  nothing matches'] : []
  const all = folder === null ? '' : `, all for those of ${isFolderOnly ? 'all folders' : 'this folder only'}`
  return [`${title}:`, ...shown, ...more, ...none, `Type a number, words to search for${all}, or cancel.`]
}

/** Returns what tells a list that was printed from one to print. */
export function menuState(menu: Menu): string {
  const { kind, rows, problem, filter, isFolderOnly, confirming } = menu
  return rows === null ? '' : JSON.stringify([kind, rows.length, problem, filter.text, isFolderOnly, confirming])
}

function rowWords({ text, detail, isCurrent, isDisabled, listed }: MenuRow, { homeFolder, nowMs }: MenuTimes): string {
  const place =
    listed === null
      ? strippedLine(detail)
      : `${shownName(placedPath(listed.cwd, undefined, homeFolder))}, ${formatAgo(listed.updatedAt, nowMs)}`
  const state = [...(isCurrent ? ['in use now'] : []), ...(isDisabled ? ['cannot be taken'] : [])]
  const name = shownName(text) || (listed === null ? '' : '(pasted text)')
  return [name, ...(place === '' ? [] : [place]), ...state].join(', ')
}
