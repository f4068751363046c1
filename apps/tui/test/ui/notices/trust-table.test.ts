import { trustTable } from '@parley/presentation/notices/trust-table'
import { lineText } from '@parley/presentation/text/span'
import type { TrustReport } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { localNoticeBlock } from '../../../src/view/transcript/local-notice-block.ts'

const empty: TrustReport = {
  root: '/repo',
  state: 'none',
  hash: null,
  wouldRun: [],
  changes: [],
  ignored: [],
  files: [],
}
const report: TrustReport = {
  ...empty,
  state: 'untrusted',
  hash: 'h',
  wouldRun: [
    {
      name: 'tools',
      argv: ['node', 'tools/mcp.js', 'two words', 'a"b'],
      cwd: '/repo',
      env: { MODE: 'x y' },
      sandboxed: true,
      network: false,
    },
    { name: 'bare', argv: ['./serve'], cwd: '/repo/sub', sandboxed: false, network: true },
    { name: 'far', argv: [], url: 'https://tools.example/mcp', sandboxed: false, network: true },
  ],
  changes: ['model = "theirs"'],
  ignored: ['.parley/config.toml:3: "openai_base_url" is ignored: only your own config.toml can set this.'],
  files: [{ path: '.parley/config.toml', text: 'model = "theirs"\n\n  nested = 1\n' }],
}

function shown(from: TrustReport, columns = 100): string {
  const { notice } = trustTable(from)
  return localNoticeBlock(notice, { columns })
    .lines.map((line) => lineText(line).trimEnd())
    .join('\n')
}

describe('the configuration of a project on the screen', () => {
  test('offers whoever may not decide no answer that would be rejected, and says who may', () => {
    const lastOf = (rejects: NonNullable<TrustReport['rejects']>) => {
      const { notice } = trustTable({ ...report, rejects })
      return notice.kind === 'table' ? notice.rows.at(-1) : null
    }
    const why = 'About this one decides whoever runs the server.'
    expect(lastOf({ trusted: why, declined: why })).toEqual(['answer', why])
    expect(lastOf({ trusted: why })).toEqual(['answer', `${why} /trust no declines it.`])
  })

  test('is what it would start, change and not do, then its files and the ways to answer', () => {
    expect(
      shown(report)
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual([
      'What the configuration of /repo does',
      'state                not trusted: nothing of it takes effect',
      'starts               node tools/mcp.js "two words" "a\\"b"',
      'for the tool server tools, in /repo, inside the sandbox, without network',
      'with MODE="x y"',
      'starts               ./serve',
      'for the tool server bare, in /repo/sub, outside any sandbox: it may do all',
      'that its account may',
      'connects to          https://tools.example/mcp for the tool server far',
      'effect               model = "theirs"',
      'ignored              .parley/config.toml:3: "openai_base_url" is ignored: only your own',
      'config.toml can set this.',
      '.parley/config.toml',
      'model = "theirs"',
      '',
      'nested = 1',
      'answer               /trust yes trusts exactly this, /trust no declines it.',
    ])
  })

  test('has nothing that can hide, move or end a line', () => {
    const nasty = 'safe\u001b[2K\u202egnp\u200b\r\nevil\u2028more'
    const text = shown({
      ...report,
      root: nasty,
      wouldRun: [{ name: nasty, argv: [nasty], cwd: nasty, env: { [nasty]: nasty }, sandboxed: false, network: true }],
      changes: [nasty],
      ignored: [nasty],
      files: [{ path: nasty, text: nasty }],
    })
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u2028\u202e]/)
    expect(text).toContain('U+202E')
    expect(trustTable({ ...report, root: 'a\nb' }).notice).toMatchObject({ title: expect.stringContaining('a\\nb') })
    expect(text).toContain('"safe\\u001b[2K')
  })

  test('shows the change where something else was trusted', () => {
    const text = shown({ ...report, state: 'changed', diff: '--- a\n+++ b\n-old\n+new\n' })
    expect(text).toContain('changed since you trusted it')
    expect(text).toContain('+new')
    expect(text).not.toContain('nested')
  })

  test('can be trusted here only when all of it is shown', () => {
    expect(trustTable(report).hash).toBe('h')
    const long = { ...report, files: [{ path: 'p', text: '# x\n'.repeat(2000) }] }
    expect(trustTable(long).hash).toBeNull()
    expect(shown(long)).toMatch(/answer +\d+ more lines: `parley trust` shows them all/)
  })

  test('is one line where there is none', () => {
    expect(shown(empty)).toContain('/repo brings no configuration of its own.')
  })
})
