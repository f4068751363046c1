import { describe, expect, test } from 'vitest'
import { lineText } from '../../../src/view/text/span.ts'
import { localNoticeBlock } from '../../../src/view/transcript/local-notice-block.ts'

const rowsOf = (rows: readonly (readonly [string, string])[]) =>
  localNoticeBlock({ kind: 'table', title: 'Models', rows }, { columns: 40 }).lines.map((line) =>
    lineText(line).trimEnd(),
  )

describe('a table', () => {
  test('has its second column where the widest name ends', () => {
    expect(
      rowsOf([
        ['git', 'ready'],
        ['tracker', 'failed'],
      ]),
    ).toEqual(['  Models', '  git      ready', '  tracker  failed'])
  })

  test('shows names with tabs, line ends and escape sequences on one row', () => {
    expect(
      rowsOf([
        ['a\tb', 'one\ntwo'],
        ['\x1b[31mc', ''],
      ]),
    ).toEqual(['  Models', '  a   b      one two', '  \\x1b[31mc'])
  })
})
