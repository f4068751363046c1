import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { Launch } from '../../src/cli/launch-server.ts'
import { runCommandLine } from '../../src/command-line/run-command-line.ts'

/** A machine on which no server can be started. */
const launch: Omit<Launch, 'streams'> = {
  program: { version: '1.2.3', build: 'test', moduleUrl: 'file:///nowhere/parley.mjs', serverEnv: {} },
  home: '/nowhere/home',
  env: {},
  ceiling: [],
  server: null,
  early: null,
}

async function run(argv: readonly string[]) {
  const written = { stdout: '', stderr: '' }
  const streamTo = (name: 'stdout' | 'stderr') => ({
    fd: -1,
    write: (text: string) => {
      written[name] += text
    },
  })
  const streams = { stdin: process.stdin, stdout: streamTo('stdout'), stderr: streamTo('stderr') }
  return { exitCode: await runCommandLine(argv, { launch: { ...launch, streams }, window: null }), ...written }
}

/** Returns whether there is a program of this name. */
const has = (program: string) => spawnSync('which', [program]).status === 0

describe('completion', () => {
  // Stand-ins for functions of the completion system of zsh, which needs a terminal.
  const zshSystem = `compdef() { }; _files() { }; _describe() { local -a said=("\${(@P)2}"); print -rl -- \${said%%:*} }`
  const shells: readonly (readonly [string, (words: string) => string, string])[] = [
    [
      'bash',
      (words) =>
        `COMP_WORDS=(parley ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _parley; printf '%s\\n' "\${COMPREPLY[@]}"`,
      '',
    ],
    ['fish', (words) => `complete -C 'parley ${words.replaceAll('""', '')}'`, ''],
    ['zsh', (words) => `words=(parley ${words}); CURRENT=\${#words}; _parley | grep -- "^\${words[-1]}"`, zshSystem],
  ]

  test.each(shells)('of %s offers commands, their commands and the values of options', async (shell, ask, before) => {
    const { exitCode, stdout } = await run(['completion', shell])
    expect(exitCode).toBe(0)
    if (!has(shell)) return
    const offered = (words: string) => {
      const { stdout: said, stderr } = spawnSync(shell, ['-c', `${before}\n${stdout}\n${ask(words)}`], {
        encoding: 'utf8',
      })
      expect(stderr).toBe('')
      return said
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0])
    }
    expect(offered('repl')).toEqual(['replay'])
    expect(offered('login st')).toEqual(['status'])
    expect(offered('exec --sandbox work')).toEqual(['workspace-write'])
    expect(offered('exec -s work')).toEqual(['workspace-write'])
    expect(offered('completion fi')).toEqual(['fish'])
    expect(offered('mcp login --d')).toEqual([''])
    expect(offered('exec -o resu')).toEqual([''])
  })

  test('of zsh is a script that zsh takes', async () => {
    const { stdout } = await run(['completion', 'zsh'])
    expect(stdout).toMatch(/^#compdef parley\n/)
    if (has('zsh')) expect(spawnSync('zsh', ['-n'], { input: stdout, encoding: 'utf8' }).stderr).toBe('')
  })

  test('of another shell is refused with those there are', async () => {
    const { exitCode, stderr } = await run(['completion', 'tcsh'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('bash, zsh, fish') })
  })
})

const title = '\x1b]0;owned\x07'

test.each([
  [['exec', `--nope${title}`]],
  [['list', `--nope${title}`]],
  [['exec', '-s', title, 'x']],
  [['exec', '--enable', title, '-s', title, 'x']],
  [['completion', title]],
  [['list', '--limit', title]],
])('an error about %j shows the escapes of its words and sends none', async (argv) => {
  const { exitCode, stdout, stderr } = await run(argv)
  expect(exitCode).toBe(2)
  expect(stdout + stderr).not.toContain('\x1b')
  expect(stderr).toContain('\\x1b]0;owned')
})

describe('the command line', () => {
  test.each<[readonly string[], RegExp]>([
    [['help'], /Usage: parley \[options\] \[command\] \[prompt\]/],
    [['help', 'exec'], /Exit codes: 0 answered/],
    [['exec', 'resume', '--help'], /--last/],
  ])('answers %j on stdout', async (argv, words) => {
    const { exitCode, stdout, stderr } = await run(argv)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(words)
  })

  test('lists each command in a group, with one line that fits into 80 columns', async () => {
    const { stdout } = await run(['--help'])
    expect(stdout).not.toContain('\nCommands:')
    const commands = stdout.slice(stdout.indexOf('Conversations:')).split('\n')
    expect(commands.filter((line) => /^ {5}/.test(line))).toEqual([])
    expect(Math.max(...commands.map(({ length }) => length))).toBeLessThanOrEqual(80)
  })

  test.each<[readonly string[], RegExp]>([
    [['lst'], /There is no command "lst"\. Did you mean `parley list`\?/],
    [['exce', 'say hello'], /There is no command "exce"\. Did you mean `parley exec`\?/],
    [['say', 'hello'], /A prompt of several words needs quotes/],
    [['help', 'exce'], /There is no command "exce"\. Did you mean `exec`\?/],
    [['help', 'nothing'], /There is no command "nothing"\. `parley help` lists them\./],
    [['-m', '', 'hi'], /'-m, --model <model>' argument '' is invalid\. It must not be empty\./],
    [['list', 'foo'], /too many arguments for 'list'\. Expected 0 arguments but got 1: foo\. See parley list --help\./],
    [['exec', 'resume', '--jsn'], /See parley exec resume --help\./],
    [['--modle', 'x'], /unknown option '--modle'.*Did you mean one of --mode, --model\?/],
    [['fork'], /missing required argument 'id'/],
    [['fork', 'x', '--at', 'soon'], /must be a whole number from 1 on/],
    [['resume', '--last', '--ephemeral'], /--ephemeral is for new conversations/],
    [['-i', 'a.png', 'resume'], /An image needs a prompt/],
    [['-m', 'another', 'attach'], /A conversation that is joined keeps its settings/],
    [['list', '--limit', 'many'], /must be a whole number/],
  ])('refuses %j with 2', async (argv, words) => {
    const { exitCode, stdout, stderr } = await run(argv)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(words)
  })
})

describe('parley exec ends with 2 for', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['an unknown flag, with the nearest', ['--jsn', 'hi'], /unknown option '--jsn'.*Did you mean --json/],
    ['an unknown effort', ['-e', 'banana', 'hi'], /Allowed choices are none, minimal, low, medium, high, xhigh/],
    ['an unknown mode', ['-s', 'none', 'hi'], /Allowed choices are read-only/],
    ['a config value without a key', ['-c', 'x', 'hi'], /-c takes KEY=VALUE/],
    ['a config value without a key, by its long flag', ['--config', 'x', 'hi'], /must be key=value/],
    ['a time that is none', ['--timeout', 'soon', 'hi'], /must be a time like 90, 90s, 5m or 1h/],
    ['two prompts', ['say', 'hello'], /A prompt of several words needs quotes/],
    ['an empty model', ['-m', ' ', 'hi'], /'-m, --model <model>' argument ' ' is invalid. It must not be empty/],
    ['an empty folder', ['-C', '', 'hi'], /'-C, --cd <dir>' argument '' is invalid. It must not be empty/],
    ['an empty image', ['-i', '', 'hi'], /'-i, --image <file>' argument '' is invalid. It must not be empty/],
    ['an empty answer file', ['-o', '', 'hi'], /'-o, --output <file>' argument '' is invalid. It must not be empty/],
    ['an empty policy file', ['--policy', '', 'hi'], /'--policy <file>' argument '' is invalid/],
    ['an empty schema file', ['--output-schema', '', 'hi'], /'--output-schema <file>' argument '' is invalid/],
    ['an empty recording', ['--record', '', 'hi'], /'--record <file>' argument '' is invalid/],
    ['an empty sender', ['--thread-source', '', 'hi'], /'--thread-source <name>' argument '' is invalid/],
    ['resuming an empty name', ['resume', '', 'hi'], /'id'\. It must not be empty/],
    ['forking an empty name', ['fork', '', 'hi'], /'id'\. It must not be empty/],
    ['forking nothing', ['fork'], /Which conversation\? Give its id, or --last/],
    ['forking at no event', ['fork', 'x', '--at', 'soon', 'hi'], /must be a whole number from 1 on/],
    ['resuming nothing', ['resume'], /Which conversation\?/],
    ['copying twice over', ['fork', '--last', 'an id', 'hi'], /Give an id or --last, not both/],
    ['resuming twice over', ['resume', '--last', 'an id', 'hi'], /Give an id or --last, not both/],
    ['keeping nothing of what is kept', ['resume', '--ephemeral', 'x', 'hi'], /--ephemeral is for new conversations/],
  ])('%s', async (_name, argv, words) => {
    const { exitCode, stdout, stderr } = await run(['exec', ...argv])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toMatch(words)
  })
})
