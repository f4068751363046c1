import { lineText } from '@parley/presentation/text/span'
import { describe, expect, test } from 'vitest'
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

  test('has an address that does not fit on one row from the edge on, as one link, so that it is copied whole', () => {
    const url = `http://127.0.0.1:7100/#link=${'a1b2c3d4'.repeat(5)}`
    const { lines } = localNoticeBlock({ kind: 'table', title: 'Link', rows: [['in a browser', url]] }, { columns: 40 })
    const rows = lines.slice(2)
    expect(rows.map(lineText)).toEqual([url.slice(0, 40), url.slice(40)])
    expect(rows.flat().map(({ href }) => href)).toEqual([url, url])
    expect(rowsOf([['page', 'http://a/']])).toEqual(['  Models', '  page  http://a/'])
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
