import { describe, expect, it } from 'vitest'
import { fitCall } from '../../src/tools/fit-arguments.ts'

const patch = '*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch'
const fit = (name: string, written: unknown) =>
  fitCall({ name, arguments: typeof written === 'string' ? written : JSON.stringify(written) })

describe('arguments that almost fit', () => {
  it.each<[string, unknown, string, unknown]>([
    ['apply_patch', { patch }, 'apply_patch', { patch }],
    ['apply_patch', { input: patch }, 'apply_patch', { patch }],
    ['apply_patch', JSON.stringify(patch), 'apply_patch', { patch }],
    ['apply_patch', JSON.stringify(JSON.stringify({ input: patch })), 'apply_patch', { patch }],
    ['apply_patch', patch, 'apply_patch', { patch }],
    ['apply_patch', `<<'EOF'\n${patch}\nEOF`, 'apply_patch', { patch: `<<'EOF'\n${patch}\nEOF` }],
    ['apply_patch', { command: ['apply_patch', patch] }, 'apply_patch', { patch }],
    ['apply_patch', { patch: JSON.stringify({ input: patch }) }, 'apply_patch', { patch }],
    ['apply_patch', { patch: JSON.stringify({ patch }) }, 'apply_patch', { patch }],
    ['apply_patch', { patch: JSON.stringify(patch) }, 'apply_patch', { patch }],
    ['apply_patch', { patch: JSON.stringify(['apply_patch', patch]) }, 'apply_patch', { patch }],
    ['apply_patch', { patch: '{"x":1}' }, 'apply_patch', { patch: '{"x":1}' }],
    ['apply_patch', { patch: '{' }, 'apply_patch', { patch: '{' }],
    [
      'edit_file',
      { file_path: 'a', old_string: 'x', new_string: 'y', replace_all: 'true' },
      'edit_file',
      { path: 'a', old: 'x', new: 'y', all: true },
    ],
    ['edit_file', { path: 'a', old_str: 'x', new_str: '' }, 'edit_file', { path: 'a', old: 'x', new: '' }],
    ['edit_file', { path: 'a', old: 'x', new: 'y', all: null }, 'edit_file', { path: 'a', old: 'x', new: 'y' }],
    ['write_file', { file_path: 'a', file_text: 'b' }, 'write_file', { path: 'a', content: 'b' }],
    ['read_file', { file: 'a', offset: '3' }, 'read_file', { path: 'a', offset: 3 }],
    ['read_file', JSON.stringify('a.txt'), 'read_file', { path: 'a.txt' }],
    ['list_dir', { dir_path: 'src' }, 'list_dir', { path: 'src' }],
    ['search', { query: 'x', path: 'y' }, 'search', { pattern: 'x', path: 'y' }],
    ['read_file', { path: 'a.txt', offset: -3, limit: 0 }, 'read_file', { path: 'a.txt', offset: 1 }],
    ['read_file', { path: 'a.txt', offset: 2.5, limit: 1e9 }, 'read_file', { path: 'a.txt', offset: 2, limit: 5000 }],
    ['read_file', { path: 'README.md:10' }, 'read_file', { path: 'README.md', offset: 10 }],
    ['read_file', { path: 'src/a.ts:10:5' }, 'read_file', { path: 'src/a.ts', offset: 10 }],
    ['read_file', { path: 'a.ts:10-20' }, 'read_file', { path: 'a.ts', offset: 10, limit: 11 }],
    ['read_file', { path: 'a.ts:10', offset: 3 }, 'read_file', { path: 'a.ts:10', offset: 3 }],
    ['read_file', { path: 'time 10:30' }, 'read_file', { path: 'time 10:30' }],
    ['read_file', { path: 'output:i-3' }, 'read_file', { path: 'output:i-3' }],
    ['read_file', { path: 'file:///tmp/a%20b.txt' }, 'read_file', { path: '/tmp/a b.txt' }],
    ['list_dir', { path: 'file:///tmp', depth: 99 }, 'list_dir', { path: '/tmp', depth: 8 }],
    ['list_dir', { depth: 0, show_ignored: 'true' }, 'list_dir', { depth: 1, show_ignored: true }],
    ['search', { pattern: 'x', context_lines: 50 }, 'search', { pattern: 'x', context_lines: 20 }],
    ['search', { pattern: 'x', context_lines: -1 }, 'search', { pattern: 'x', context_lines: 0 }],
    ['search', { globs: '*.ts' }, 'search', { globs: ['*.ts'] }],
    ['search', { glob: '["*.ts", "*.js"]' }, 'search', { globs: ['*.ts', '*.js'] }],
    ['search', { globs: '[ab].ts' }, 'search', { globs: ['[ab].ts'] }],
    ['shell', { cmd: 'ls', cwd: 'src', timeoutMs: '100' }, 'shell', { command: 'ls', workdir: 'src', timeout_ms: 100 }],
    ['shell', { command: 'ls', timeout: '30' }, 'shell', { command: 'ls', timeout_ms: 30_000 }],
    ['shell', { command: 'ls', timeout: 60_000 }, 'shell', { command: 'ls', timeout_ms: 60_000 }],
    ['shell', { command: 'ls', timeout: 60, timeout_ms: 5 }, 'shell', { command: 'ls', timeout_ms: 5 }],
    [
      'shell',
      { command: 'ls', sandbox_permissions: 'require_escalated', justification: 'it is needed' },
      'shell',
      { command: 'ls', escalate: true, reason: 'it is needed' },
    ],
    [
      'shell',
      { command: 'ls', with_escalated_permissions: true, justification: 'it is needed' },
      'shell',
      { command: 'ls', escalate: true, reason: 'it is needed' },
    ],
    ['shell', { command: 'ls', sandbox_permissions: 'use_default' }, 'shell', { command: 'ls' }],
    ['shell', ['ls', '-la'], 'shell', { command: ['ls', '-la'] }],
    ['shell', { command: '["ls","-la"]' }, 'shell', { command: ['ls', '-la'] }],
    ['shell', { command: '[ -f a ] && echo b' }, 'shell', { command: '[ -f a ] && echo b' }],
    ['shell', '', 'shell', { command: undefined }],
    ['server__tool', { path: null, file_path: 'a' }, 'server__tool', { path: null, file_path: 'a' }],
    ['server__tool', JSON.stringify('{"a":"1"}'), 'server__tool', { a: '1' }],
  ])('%s with %j', (name, written, fittedName, args) => {
    expect(fit(name, written)).toEqual({ name: fittedName, args })
  })

  it.each<[string | readonly string[], string, string]>([
    [`apply_patch <<'EOF'\n${patch}\nEOF`, '.', 'a.txt'],
    [`apply_patch <<"PATCH"\n${patch}\nPATCH\n`, '.', 'a.txt'],
    [`applypatch <<EOF\n${patch}\nEOF`, '.', 'a.txt'],
    [`apply_patch '${patch}'`, '.', 'a.txt'],
    [`cd sub && apply_patch <<'EOF'\n${patch}\nEOF`, '.', 'sub/a.txt'],
    [`cd 'my sub' && apply_patch <<'EOF'\n${patch}\nEOF`, 'deep', 'deep/my sub/a.txt'],
    [`apply_patch <<'EOF'\n${patch}\nEOF`, 'deep', 'deep/a.txt'],
    [`apply_patch <<'EOF'\n${patch}\nEOF`, '/abs', '/abs/a.txt'],
    [`cd /abs && apply_patch <<'EOF'\n${patch}\nEOF`, 'deep', '/abs/a.txt'],
    [`cd .. && apply_patch <<'EOF'\n${patch}\nEOF`, '.', '../a.txt'],
    [['bash', '-lc', `apply_patch <<'EOF'\n${patch}\nEOF`], '.', 'a.txt'],
    [`cat <<'EOF' | apply_patch\n${patch}\nEOF`, '.', 'a.txt'],
    [`cd sub && cat << EOF | apply_patch\n${patch}\nEOF\n`, '.', 'sub/a.txt'],
    [['bash', '-lc', `cat <<EOF | apply_patch\n${patch}\nEOF`], '.', 'a.txt'],
    [`echo '${patch}' | apply_patch`, '.', 'a.txt'],
    [['apply_patch', patch], '.', 'a.txt'],
  ])('a patch in the command %j of the shell is a patch', (command, workdir, path) => {
    const fitted = fit('shell', { command, workdir })
    expect(fitted).toMatchObject({ name: 'apply_patch' })
    const { patch: found } = 'args' in fitted ? Object(fitted.args) : { patch: '' }
    expect(found.trim()).toBe(patch.replace('a.txt', path))
  })

  it.each([
    `cat > notes <<'EOF'\n${patch}\nEOF`,
    `echo apply_patch`,
    `git apply <<'EOF'\n${patch}\nEOF`,
    `cd $HOME && apply_patch <<'EOF'\n${patch}\nEOF`,
    `(apply_patch <<'EOF'\n${patch}\nEOF\n)`,
  ])('the command %j is a command', (command) => {
    expect(fit('shell', { command })).toEqual({ name: 'shell', args: { command } })
  })

  it.each([
    `apply_patch <<'EOF'\n${patch}\nEOF\ngit add -A`,
    `apply_patch "${patch} $(id)"`,
    `apply_patch <<'EOF' && ls\n${patch}\nEOF`,
    `cat <<'EOF' | apply_patch\n${patch}\nEOF\nls`,
    `printf '%s' '${patch}' | apply_patch`,
    `cd sub && apply_patch <<'EOF'\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\nEOF`,
  ])('a patch beside other things is refused with the reason (%j)', (command) => {
    expect(fit('shell', { command })).toEqual({ problem: expect.stringContaining('apply_patch is no program') })
  })

  it.each([
    ['{"command":"ls', 'end in the middle, after 14 characters'],
    ['{"a":["x"', 'end in the middle'],
    ['{"a":"\\"', 'end in the middle'],
    ['{command: ls}', 'not valid JSON'],
    ['ls -la', 'not valid JSON'],
  ])('%j is refused with the reason', (written, words) => {
    expect(fit('shell', written)).toEqual({ problem: expect.stringContaining(words) })
  })
})
