import { describe, expect, it } from 'vitest'
import { fileNameArguments, searchArguments } from '../../src/look-up/ripgrep-run.ts'

const all = { paths: ['.'], names: [], includeIgnored: false, unread: [] }

describe('ripgrep arguments', () => {
  it('put all model input behind -e, -- and the name of a type', () => {
    const opened = { paths: ['--follow'], names: ['--files'], includeIgnored: false, unread: [] }
    const args = searchArguments({ pattern: '--pre=evil' }, opened)
    expect(args[args.indexOf('--pre=evil') - 1]).toBe('-e')
    expect(args).toContain('--type-add=wanted:--files')
    expect(args).not.toContain('--files')
    expect(args.slice(-2)).toEqual(['--', '--follow'])
  })

  it('switch off configuration and links', () => {
    for (const args of [searchArguments({ pattern: 'x' }, all), fileNameArguments(all)]) {
      expect(args).toEqual(expect.arrayContaining(['--no-config', '--no-follow']))
    }
  })

  it('limit the number of context lines', () => {
    expect(searchArguments({ pattern: 'x', contextLines: 1e9 }, all)).toContain('--context=20')
    expect(searchArguments({ pattern: 'x', contextLines: -1 }, all)).toContain('--context=0')
  })
})
