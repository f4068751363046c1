import { describe, expect, it } from 'vitest'
import { fileNameArguments, searchArguments } from '../../src/look-up/ripgrep-run.ts'

describe('ripgrep arguments', () => {
  it('put all model input behind -e, -g and --', () => {
    const args = searchArguments({ pattern: '--pre=evil', globs: ['--files'] }, '--follow')
    expect(args[args.indexOf('--pre=evil') - 1]).toBe('-e')
    expect(args[args.indexOf('--files') - 1]).toBe('-g')
    expect(args.slice(-2)).toEqual(['--', '--follow'])
  })

  it('switch off configuration and links', () => {
    for (const args of [searchArguments({ pattern: 'x' }, '.'), fileNameArguments([], '.', false)]) {
      expect(args).toEqual(expect.arrayContaining(['--no-config', '--no-follow']))
    }
  })

  it('limit the number of context lines', () => {
    expect(searchArguments({ pattern: 'x', contextLines: 1e9 }, '.')).toContain('--context=20')
    expect(searchArguments({ pattern: 'x', contextLines: -1 }, '.')).toContain('--context=0')
  })
})
