import { lineText } from '@parley/presentation/text/span'
import type { Approval } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { layoutScreen } from '../../../src/view/layout-screen.ts'
import { liveRows } from '../../../src/view/live-zone.ts'
import { after, command, requested, started, turnStarted } from '../scenes/conversation.ts'
import { sceneOf } from '../scenes/scene.ts'

const asked = (fields: Partial<Approval>) => after(turnStarted, started(command('x')), requested(fields))
type Asked = ReturnType<typeof asked>

function frame(state: Asked, [columns, rows]: readonly [number, number]) {
  const { screen } = layoutScreen({ ...sceneOf(state), size: { columns, rows } })
  return { ...screen, rows: liveRows(screen.live).map((line) => lineText(line).trimEnd()) }
}

/** Letters only: where rows break says nothing about what is shown. */
const letters = (rows: readonly string[]) => rows.join('').replaceAll(/\s/g, '')

const folder = '/home/ada/shop/packages/a-rather-long-name/keep/me/here/a/rather/deep/folder'
const needed = {
  title: 'rm -f *',
  detail: 'rm -f *',
  cwd: folder,
  sandbox: 'workspace-write',
  network: true,
  env: { NODE_ENV: 'production' },
  justification: 'It fetches the list of models first',
  reason: 'it could destroy what cannot be brought back',
  rule: { name: 'builtin:dangerous' },
} as const satisfies Partial<Approval>
const says = [
  'rm -f *',
  folder.replace('/home/ada', '~'),
  'sandbox workspace-write',
  'with network',
  'NODE_ENV=production',
  needed.justification,
  needed.reason,
]

describe('a question that counts as seen', () => {
  const windows = [20, 30, 40, 50, 60, 80].flatMap((columns) =>
    Array.from({ length: 36 }, (_, index) => [columns, index + 5] as const),
  )

  test.each([
    ['a command with all there is to know', needed, says],
    ['a second attempt', { ...needed, attempt: 2 }, [...says, 'It ran in the sandbox already']],
    ['one in the background', { ...needed, title: 'rm -f * (in the background)' }, [...says, '(in the background)']],
    ['one that hides something', { ...needed, detail: 'rm \u202e*' }, ['rm <U+202E>*', ...says.slice(1), '⚠ contains']],
  ])('has every part that a yes is for in the frame, in every window: %s', (_what, fields, parts) => {
    const state = asked(fields)
    const seen = windows.map((size) => frame(state, size)).filter(({ isSeen }) => isSeen)
    expect(seen.length).toBeGreaterThan(0)
    for (const { rows } of seen) for (const part of parts) expect(letters(rows)).toContain(part.replaceAll(/\s/g, ''))
  })

  test.each([
    [50, 15],
    [40, 17],
    [60, 12],
  ] as const)('shows the folder whole at %i columns and %i rows', (columns, rows) => {
    const { cwd, title, detail, sandbox, reason, rule } = needed
    const screen = frame(asked({ cwd, title, detail, sandbox, network: false, reason, rule }), [columns, rows])
    expect(screen.isSeen).toBe(true)
    expect(screen.rows.join('\n')).not.toMatch(/more lines|^\s*in$/m)
  })

  test('is not counted where the folder is cut, and the cut is one row', () => {
    const screen = frame(asked(needed), [40, 12])
    expect(screen.isSeen).toBe(false)
    expect(screen.rows.filter((row) => row.includes('more lines'))).toEqual([])
    expect(screen.rows.join('\n')).toMatch(/ {2}in ….*deep\/folder\n {2}sandbox workspace-write · with network/)
  })
})

const changed = (path: string) => ({
  path,
  kind: 'update' as const,
  additions: 1,
  deletions: 1,
  before: 'a',
  after: 'b',
})
const oneLine = (path: string) => `--- ${path}\n+++ ${path}\n@@ -1,1 +1,1 @@\n-old\n+new\n`
const cart = `--- src/cart.js\n+++ src/cart.js\n@@ -4,5 +4,5 @@\n \n /** A comment. */\n export function f() {\n-  return 1\n+  return 2\n }\n`
const decisions: Approval['decisions'] = ['approved', 'approvedForSession', 'denied', 'abort']

describe('a patch at 80 columns and 24 rows', () => {
  const about = { kind: 'patch', decisions, cwd: '/home/ada/shop', sandbox: 'workspace-write' } as const

  test('of one line is shown whole, its file once', () => {
    const { isSeen, rows } = frame(
      asked({ ...about, title: 'Patch src/cart.js', detail: cart, files: [changed('src/cart.js')] }),
      [80, 24],
    )
    expect(isSeen).toBe(true)
    expect(rows.filter((row) => row.includes('src/cart.js'))).toEqual(['  change src/cart.js (+1 −1)'])
    expect(rows.join('\n')).toMatch(/7 │- {3}return 1\n.*7 │\+ {3}return 2\n.*8 │ {2}}\n[\s\S]*y {2}yes, this once/)
  })

  test('of two files with one line each is shown whole, each path above its lines', () => {
    const files = [changed('one.txt'), changed('two.txt')]
    const detail = `${oneLine('one.txt')}\n${oneLine('two.txt')}`
    const { isSeen, rows } = frame(asked({ ...about, title: 'Patch', detail, files }), [80, 24])
    expect(isSeen).toBe(true)
    expect(rows.join('\n')).toMatch(
      /change one[^\n]*\n {2}change two[^\n]*\n {2}one.txt\n {2}1 │- old[\s\S]*\n {2}two.txt\n {2}1 │- old/,
    )
    expect(rows.join('\n')).not.toMatch(/^ {2}(?:---|\+\+\+)/m)
  })

  test('keeps the lines that name another file than the list does', () => {
    const { rows } = frame(
      asked({ ...about, title: 'Patch', detail: oneLine('b.txt'), files: [changed('a.txt')] }),
      [80, 24],
    )
    expect(rows).toEqual(expect.arrayContaining(['  change a.txt (+1 −1)', '  --- b.txt', '  +++ b.txt']))
  })
})
