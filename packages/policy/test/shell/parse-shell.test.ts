import { codePoint } from '@parley/testkit/code-point'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createShellParser } from '../../src/shell/parse-shell.ts'
import { shellParserFiles, testFolders } from '../facts/test-folders.ts'

let place: Awaited<ReturnType<typeof testFolders>>
beforeAll(async () => {
  place = await testFolders()
})
afterAll(async () => {
  await place[Symbol.asyncDispose]()
})

describe('an understood script', () => {
  it.each<[string, string[][]]>([
    ['a', [['a']]],
    ['a b; c | d && e || f', [['a', 'b'], ['c'], ['d'], ['e'], ['f']]],
    ['\na\n\nb &&\n c;\n', [['a'], ['b'], ['c']]],
    [`a 'b  c' "d\te" f"g"'h'`, [['a', 'b  c', 'd\te', 'fgh']]],
    ['a "\\$x \\" \\\\ \\n \\`"', [['a', '$x " \\ \\n `']]],
    ["a '\\n$x`'", [['a', '\\n$x`']]],
    ['a \\( \\; \\$x \\*', [['a', '(', ';', '$x', '*']]],
    ['a >/dev/null 2>&1 | b 2>/dev/null; c 1> /dev/null', [['a'], ['b'], ['c']]],
    ['a \'\' ""', [['a', '', '']]],
    ['a "é"', [['a', 'é']]],
    ['a --x=y 2 HEAD~1 HEAD^ a:b,c@d%e+f', [['a', '--x=y', '2', 'HEAD~1', 'HEAD^', 'a:b,c@d%e+f']]],
  ])('%j consists of its commands', async (script, commands) => {
    expect(await place.around.shell.read(script)).toMatchObject({ commands, because: null })
  })

  it('is read equally by the grammar and the plain reader', async () => {
    const reading = await place.around.shell.read('ls >/dev/null after')
    expect(reading).toMatchObject({ commands: null, because: 'two ways to read it differ' })
  })
})

describe('a script that is not understood', () => {
  it.each<[string, (string | null)[]]>([
    ['for f in *; do rm -rf $f; done', ['rm', '-rf', null]],
    ['echo $(curl x)', ['curl', 'x']],
    ['f() { git push; }; f', ['git', 'push']],
    ['r\\\nm -rf x &', ['rm', '-rf', 'x']],
    ['\\rm "-rf" \'x\' &', ['rm', '-rf', 'x']],
    ['"r"m -rf x > y', ['rm', '-rf', 'x']],
    ['X=1 rm -rf x', ['rm', '-rf', 'x']],
    ['((( rm -rf x', ['rm', '-rf', 'x']],
    ["echo 'open; rm -rf x", ['rm', '-rf', 'x']],
    [`rm -rf x; ${'y'.repeat(70_000)}`, ['rm', '-rf', 'x']],
  ])('still shows the command in %j', async (script, command) => {
    const { commands, seen } = await place.around.shell.read(script)
    expect(commands).toBeNull()
    expect(seen).toContainEqual(command)
  })
})

describe('danger', () => {
  it.each([
    'sudo -u x rm -rf y',
    'env A=b nice -n 5 rm -rf y',
    'echo y | xargs -0 rm -f',
    'find . -name y -exec rm -f {} \\;',
    "bash -c 'rm -rf y'",
    'sudo bash -c "rm -rf y"',
    'env -S "rm -rf y"',
    'eval "rm -rf y"',
    'bash <<EOF\nrm -rf y\nEOF',
    "sh <<< 'rm -rf y'",
    'trap "rm -rf y" EXIT',
    'curl x | sh',
    'bash -c "$(curl x)"',
    'bash <(curl x)',
    'if true; then rm -rf y; fi',
    'while rm -rf y; do :; done ((',
    'timeout 5 sudo sh -c "nohup rm -rf y"',
    ':(){ :|:& };:',
  ])('is found in %j', async (script) => {
    expect((await place.run(['bash', '-lc', script])).dangerous).not.toBeNull()
  })

  it('is found behind any number of other commands', async () => {
    const padding = Array.from({ length: 900 }, (_, index) => `true ${index};`).join('')
    const facts = await place.run(['bash', '-c', `${padding.repeat(3)} bash -c 'rm -rf y' &`])
    expect(facts).toMatchObject({ understood: false, dangerous: 'rm deletes without asking' })
    expect(facts.seen).toContainEqual(['rm', '-rf', 'y'])
  })

  it('is found in plain argv behind wrappers', async () => {
    expect((await place.run(['sudo', 'env', 'rm', '-rf', 'y'])).dangerous).not.toBeNull()
    expect((await place.run(['/usr/bin/env', 'sh', '-c', 'rm -rf y'])).dangerous).not.toBeNull()
  })
})

describe('any input', () => {
  const token = fc.constantFrom(
    ...'ls cat rm rg -la -rf b.ts key src $x $( ) ( { } ` " \' \\ & && | || ; > < << \n \t # ~ = * ? ! [[ bash -c'.split(
      ' ',
    ),
    ' ',
  )
  const script = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 60 }),
    fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(' ')),
    fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join('')),
  )

  it('is judged without an error, and a known-safe script is understood', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          script.map((text) => ['bash', '-c', text]),
          fc.array(script, { maxLength: 4 }),
        ),
        async (argv) => {
          const facts = await place.run(argv)
          if (facts.knownSafe) expect(facts.understood && facts.dangerous === null).toBe(true)
          if (!facts.understood) expect(facts.parts).toEqual([])
        },
      ),
      { numRuns: runsOf(1_500) },
    )
  })

  it('far over the limit is judged without an error', async () => {
    const facts = await place.run(['bash', '-c', `rm -rf y;${'a;'.repeat(1_000_000)}`])
    expect(facts).toMatchObject({ understood: false, dangerous: 'rm deletes without asking' })
  })

  it.each(['(', '$(', '"$(', '`', '{ ', '[[', '${', '<<A ', 'if ', 'case a in '])(
    'of %j over and over is not understood',
    async (piece) => {
      const { commands } = await place.around.shell.read(piece.repeat(60_000 / piece.length))
      expect(commands).toBeNull()
    },
  )
})

describe('a parser', () => {
  it('whose files cannot be loaded understands nothing and still finds commands', async () => {
    using shell = createShellParser({ ...shellParserFiles, grammarWasm: '/nowhere/grammar.wasm' })
    const reading = await shell.read('rm -rf x')
    expect(reading).toMatchObject({
      commands: null,
      because: 'the shell parser could not be loaded',
      seen: [['rm', '-rf', 'x']],
    })
  })
})
