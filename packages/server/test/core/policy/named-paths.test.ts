import { describe, expect, it } from 'vitest'
import { pathsInOutput, placesMentioned, redirectTargets } from '../../../src/core/policy/named-paths.ts'

describe('the paths that a failed command names', () => {
  it.each<[string, string[]]>([
    ["touch: cannot touch '/opt/x': Read-only file system", ['/opt/x']],
    ["touch: cannot touch 'made': Nur-Lese-Dateisystem", ['made']],
    ['/bin/bash: line 1: made: Read-only file system', ['made']],
    ['sh: 1: cannot create /etc/x: Permission denied', ['/etc/x']],
    ["fatal: Unable to create '/w/.git/index.lock': Read-only file system", ['/w/.git/index.lock']],
    ['error: could not lock config file .git/config: Read-only file system', ['.git/config']],
    ["Error: EROFS: read-only file system, open '/opt/a b'", ['/opt/a b']],
    ['mkdir: ne peut créer le répertoire « /opt/d »: Interdit', ['/opt/d']],
    ['/usr/include/stdio.h:27:10: fatal error: x', []],
    ['  File "/usr/lib/python3/os.py", line 12, in f', []],
    ['    at f (/usr/lib/x.js:10:5)', []],
    ['see https://example.org/a/b', []],
    ['plain words without any of them', []],
  ])('in %j', (line, expected) => {
    expect(pathsInOutput(line).map(({ text }) => text)).toEqual(expected)
  })

  it('are known to be missing where the line says so', () => {
    expect(pathsInOutput("cat: '/opt/x': No such file or directory")).toContainEqual({
      text: '/opt/x',
      saidMissing: true,
    })
  })

  it('are few, whatever is written', () => {
    const lines = Array.from({ length: 5_000 }, (_, n) => `x: /opt/${n}: no`).join('\n')
    expect(pathsInOutput(lines)).toHaveLength(40)
    expect(pathsInOutput(`/${'a/'.repeat(5_000)}`)).toEqual([])
  })

  it('are those that its shell would write to', () => {
    expect(redirectTargets('echo x > /opt/a 2>>b; cat <in >"c d" &>e 2>&1 >$F')).toEqual(['/opt/a', 'b', 'e'])
  })

  it('are full paths of its words', () => {
    expect(placesMentioned('cat ~/.ssh/id "$HOME/.aws/x" --f=/etc/y z/w')).toEqual(['~/.ssh/id', '~/.aws/x', '/etc/y'])
  })
})
