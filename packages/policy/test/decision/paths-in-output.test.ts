import { describe, expect, it } from 'vitest'
import { absolutePathsInScript, pathsInOutput, redirectTargets } from '../../src/decision/sandbox-block.ts'

describe('the paths that a failed command names', () => {
  it.each<[string, string[]]>([
    ["touch: cannot touch '/opt/x': Read-only file system", ['/opt/x']],
    ["touch: cannot touch 'made': Nur-Lese-Dateisystem", ['made']],
    ['/bin/bash: line 1: made: Read-only file system', ['made']],
    ['sh: 1: cannot create /etc/x: Permission denied', ['/etc/x']],
    ["fatal: Unable to create '/w/.git/index.lock': Read-only file system", ['/w/.git/index.lock']],
    ['error: could not lock config file .git/config: Read-only file system', ['.git/config']],
    ["Error: EROFS: read-only file system, open '/opt/a b'", ['/opt/a b']],
    ['mkdir: impossible de créer le répertoire « /opt/d »: Permission non accordée', ['/opt/d']],
    ["touch: '/opt/e': Отказано в доступе", ['/opt/e']],
    ["PermissionError: [Errno 13] Permission denied: '/opt/f'", ['/opt/f']],
    ['error: failed to open: /opt/g', ['/opt/g']],
    ['E: Could not open lock file /var/lib/dpkg/lock - open (30: Read-only file system)', ['/var/lib/dpkg/lock']],
    ['cmp: /etc/passwd /etc/group differ: byte 10, line 1', []],
    ['cat: /usr/bin: Is a directory', []],
    ["tail: cannot open '/usr/bin' for reading: Is a directory", []],
    ["mkdir: cannot create directory '.vscode': File exists", ['.vscode']],
    ["rmdir: failed to remove '/opt': Directory not empty", []],
    ['gzip: /etc/passwd: not in gzip format', []],
    ['-rwxr-xr-x 2 root root 3804432 Apr 12  2025 /usr/bin/perl', []],
    ['root:x:0:0:root:/root:/bin/bash', []],
    ['Using /usr/bin/node from /usr/lib', []],
    ['/opt/venv/bin/python: No module named pytest', []],
    ["Can't locate Foo.pm in @INC (you may need to install it) (@INC contains: /etc/perl /usr/share/perl5)", []],
    ['A complete log of this run can be found in: /opt/npm/_logs/1.log', []],
    ['/usr/include/stdio.h:27:10: fatal error: x', []],
    ['  File "/usr/lib/python3/os.py", line 12, in f', []],
    ['    at f (/usr/lib/x.js:10:5)', []],
    ['see https://example.org/a/b', []],
    ['plain words without any of them', []],
  ])('in %j', (line, expected) => {
    expect(pathsInOutput(line).map(({ text }) => text)).toEqual(expected)
  })

  it('are marked missing when the line says so', () => {
    expect(pathsInOutput("cat: '/opt/x': No such file or directory")).toContainEqual({
      text: '/opt/x',
      saidMissing: true,
    })
  })

  it('are limited in number', () => {
    const lines = Array.from({ length: 5_000 }, (_, n) => `x: /opt/${n}: Permission denied`).join('\n')
    expect(pathsInOutput(lines)).toHaveLength(40)
    expect(pathsInOutput(`denied /${'a/'.repeat(5_000)}`)).toEqual([])
  })

  it('include the targets of redirections', () => {
    expect(redirectTargets(`echo "a > /opt/b" 'c > /opt/d' > e`)).toEqual(['e'])
    expect(redirectTargets('echo x > /opt/a 2>>b; cat <in >"c d" &>e 2>&1 >$F')).toEqual(['/opt/a', 'b', 'e'])
  })

  it('include the absolute paths of a script', () => {
    expect(absolutePathsInScript('cat ~/.ssh/id "$HOME/.aws/x" --f=/etc/y z/w')).toEqual([
      '~/.ssh/id',
      '~/.aws/x',
      '/etc/y',
    ])
  })
})
