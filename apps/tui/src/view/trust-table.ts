import type { TrustReport } from '@parley/protocol'
import type { Said } from './said.ts'
import { oneLine, trustRows } from './trust-rows.ts'

/** More than people read in a window. */
const maxRows = 300

/** What a project's configuration would do; `hash` only where all of it is shown, so that a yes is to what was seen. */
export function trustTable(report: TrustReport): { readonly said: Said; readonly hash: string | null } {
  const { root, state } = report
  if (state === 'none') return { said: note(`${oneLine(root)} brings no configuration of its own.`), hash: null }
  const rows = trustRows(report)
  const isWhole = rows.length <= maxRows
  const end = isWhole
    ? waysOn(report)
    : `${rows.length - maxRows} more lines: \`parley trust\` shows them all, and takes your answer.`
  const title = `What the configuration of ${oneLine(root)} does`
  return {
    said: { kind: 'table', title, rows: [...rows.slice(0, maxRows), ['answer', end]] },
    hash: isWhole ? report.hash : null,
  }
}

function waysOn({ hash, state }: TrustReport): string {
  if (hash === null) return 'There is nothing to decide.'
  return state === 'trusted' ? '/trust no takes that back.' : '/trust yes trusts exactly this, /trust no declines it.'
}

function note(text: string): Said {
  return { kind: 'note', level: 'info', text }
}
