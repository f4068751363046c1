import { describe, expect, it } from 'vitest'
import { recogniseInvocation, recogniseScript } from '../../src/patch/recognise-invocation.ts'

const patch = '*** Begin Patch\n*** Delete File: a\n*** End Patch'
const heredoc = `apply_patch <<'EOF'\n${patch}\nEOF\n`

describe('recogniseInvocation', () => {
  it.each([
    ['apply_patch with an argument', ['apply_patch', patch]],
    ['applypatch with an argument', ['applypatch', patch]],
    ['bash -lc', ['bash', '-lc', heredoc]],
    ['a shell by path', ['/bin/zsh', '-c', heredoc]],
    ['PowerShell', ['powershell.exe', '-NoProfile', '-Command', heredoc]],
    ['cmd', ['cmd', '/c', heredoc]],
  ])('knows %s', (_name, argv) => {
    expect(recogniseInvocation(argv)).toEqual({ kind: 'patch', patch, dir: null })
  })

  it.each([
    ['an ordinary command', ['ls', '-l']],
    ['an ordinary script', ['bash', '-lc', 'ls']],
    ['a shell with more arguments', ['bash', '-lc', heredoc, 'x']],
    ['another flag', ['bash', '-x', heredoc]],
    ['nothing', []],
  ])('lets %s pass', (_name, argv) => {
    expect(recogniseInvocation(argv)).toBeNull()
  })

  it.each([
    ['a raw patch as the command', [patch]],
    ['a raw patch as the script', ['bash', '-lc', `\n${patch}`]],
    ['apply_patch without a patch', ['apply_patch']],
    ['apply_patch with two arguments', ['apply_patch', patch, 'x']],
  ])('calls %s an error', (_name, argv) => {
    expect(recogniseInvocation(argv)).toMatchObject({ kind: 'error' })
  })
})

describe('recogniseScript', () => {
  it.each([
    ['cd src && ', 'src'],
    ["cd 'my dir' && ", 'my dir'],
    ['cd "my dir" &&\n', 'my dir'],
    ['  cd ../x-y && ', '../x-y'],
  ])('takes the folder from %j', (opening, dir) => {
    expect(recogniseScript(opening + heredoc)).toEqual({ kind: 'patch', patch, dir })
  })

  it.each([
    ['unquoted', `apply_patch <<PATCH\n${patch}\nPATCH`],
    ['double-quoted, spaced', `applypatch  << "X"\n${patch}\nX\n\n`],
  ])('takes a heredoc with a word of any kind: %s', (_name, script) => {
    expect(recogniseScript(script)).toEqual({ kind: 'patch', patch, dir: null })
  })

  it.each([
    ['something behind the heredoc', `${heredoc}rm -rf x`],
    ['something before it', `echo x; ${heredoc}`],
    ['a folder that the shell would expand', `cd $HOME && ${heredoc}`],
    ['a folder with a tilde', `cd ~/x && ${heredoc}`],
    ['a folder with a command in it', `cd "$(pwd)" && ${heredoc}`],
    ['two folders', `cd a b && ${heredoc}`],
    ['; instead of &&', `cd a; ${heredoc}`],
    ['a pipe', `apply_patch <<'EOF' | tee x\n${patch}\nEOF`],
    ['no closing word', `apply_patch <<'EOF'\n${patch}`],
    ['unlike quotes', `apply_patch <<'EOF"\n${patch}\nEOF`],
  ])('is no patch with %s', (_name, script) => {
    expect(recogniseScript(script)).toBeNull()
  })
})
