import { describe, expect, it } from 'vitest'
import { fillCommand } from '../../../src/core/skills/command-template.ts'

describe('a command', () => {
  it('takes its arguments by place and as a whole', () => {
    expect(fillCommand('Fix $1 in $2. All: $ARGUMENTS', 'one "two three"').text).toBe(
      'Fix one in two three. All: one "two three"',
    )
    expect(fillCommand('[$1][$3][$10]', 'a b').text).toBe('[a][][$10]')
  })

  it('that names no argument gets them at its end', () => {
    expect(fillCommand('Look at it.\n', 'now').text).toBe('Look at it.\n\nArguments: now')
    expect(fillCommand('Look at it.', ' ').text).toBe('Look at it.')
  })

  it('names the commands and files that it wants, with arguments as single words of a shell', () => {
    const filled = fillCommand('See !`git show $1` and @src/$2, (@b.md).', '"a; rm -rf x" main.ts')
    expect(filled.commands).toEqual(["git show 'a; rm -rf x'"])
    expect(filled.paths).toEqual(['src/main.ts', 'b.md'])
    expect(filled.text).toBe("See `git show 'a; rm -rf x'` and @src/main.ts, (@b.md).")
  })

  it('runs and reads nothing that its arguments say', () => {
    expect(fillCommand('Do: $ARGUMENTS', '!`rm x` @secret $1')).toEqual({
      text: 'Do: !`rm x` @secret $1',
      commands: [],
      paths: [],
      unsafe: null,
    })
  })

  it.each([
    'echo "$1"',
    'echo "a $(cat "$1")"',
    "echo 'a $1'",
    'echo a # $1',
    'echo \\$1',
    'echo $(( $1 ))',
    "echo $'\\' $1'",
  ])('has no argument with signs of the shell where quotes would not hold it: %s', (line) => {
    expect(fillCommand(`!\`${line}\``, `'$(touch x)'`).unsafe).toBe(line)
    expect(fillCommand(`!\`${line}\``, 'plain-1.txt').unsafe).toBeNull()
  })

  it('has arguments with signs of the shell behind quotes that are closed, and in substitutions', () => {
    for (const line of [`grep -e "a b" 'c' $1`, 'echo $(cat $1)', 'git log $1 $2'])
      expect(fillCommand(`!\`${line}\``, `'a; b' 'c d'`).unsafe).toBeNull()
  })

  it('takes an address for no file', () => {
    expect(fillCommand('Write to me@example.org', '').paths).toEqual([])
  })
})
