import { describe, expect, test } from 'vitest'
import { highlightCode } from '../../src/highlight/highlight-code.ts'
import { languages } from '../../src/highlight/languages.ts'
import { lineText } from '../../src/text/span.ts'

const samples: Readonly<Record<string, string>> = {
  bash: 'if [ -f a ]; then echo "x $y" # why\nfi',
  c: '#include <stdio.h>\nint main(void) { return 42; } /* end */',
  cpp: 'template <typename T> class A { std::string s = "x"; };',
  csharp: 'public class A { string s = $"x {y}"; }',
  css: '/* c */ a:hover { color: #fff; width: 10px }',
  dart: "import 'a.dart';\nfinal x = 1;",
  diff: '@@ -1 +1 @@\n-a\n+b',
  dockerfile: 'FROM node:24\nRUN echo "x"',
  elixir: 'defmodule A do\n  def f, do: "x"\nend',
  go: 'package main\nfunc f() string { return `a\nb` }',
  graphql: 'type A { b: String! } # c',
  haskell: 'module A where\nf x = case x of 1 -> "a"',
  ini: '[a]\nb = "c" # d',
  java: 'class A { /** doc */ int f() { return 1; } }',
  javascript: `const f = async () => \`a \${b + 1}\` // c`,
  json: '{ "a": [1, true, null, "x"] }',
  kotlin: 'fun f(): Int = 1 // c',
  lua: 'local x = "a" -- c',
  makefile: 'all: a\n\techo "x"',
  markdown: '# Head\n\n- `code`',
  perl: 'my $x = "a"; # c',
  php: '<?php function f() { return "x"; }',
  powershell: 'function F { param($x) "a $x" } # c',
  python: '@d\ndef f(x: int) -> str:\n    """Doc\n    more."""\n    return f"{x} a"  # c',
  r: 'f <- function(x) { "a" } # c',
  ruby: 'def f\n  "a #{b}" # c\nend',
  rust: 'fn f() -> u8 { let s = "a"; 1 } // c',
  scala: 'object A { def f = "a" }',
  scss: '$a: 1px; .b { &:hover { width: $a } }',
  sql: "SELECT a FROM b WHERE c = 'd' -- e",
  swift: 'func f() -> Int { return 1 } // c',
  typescript: 'interface A { b: string }\nconst x: A = { b: "c" } // d',
  xml: '<a b="c"><!-- d --><script>const x = 1</script></a>',
  yaml: 'a: 1 # b\nc: "d"',
}

describe('code in colours', () => {
  test.each(Object.keys(languages))('%s has some, and the same text', (name) => {
    const lines = (samples[name] ?? '').split('\n')
    const coloured = highlightCode(lines, name) ?? []
    expect(coloured.map(lineText)).toEqual(lines)
    expect(coloured.flat().some(({ tone }) => tone !== undefined)).toBe(true)
  })

  test('has the roles of the theme', () => {
    const [first, second] = highlightCode([`const a = \`x \${b + 1} y\` // why`, 'return null'], 'ts') ?? []
    expect(first).toEqual([
      { text: 'const', tone: 'code-keyword' },
      { text: ' a = ' },
      { text: '`x ', tone: 'code-string' },
      { text: `\${b + ` },
      { text: '1', tone: 'code-number' },
      { text: '}' },
      { text: ' y`', tone: 'code-string' },
      { text: ' ' },
      { text: '// why', tone: 'code-comment' },
    ])
    expect(second).toContainEqual({ text: 'null', tone: 'code-number' })
  })

  test('goes on over lines in comments and strings', () => {
    const [, second] = highlightCode(['/* a', 'const b', '*/'], 'js') ?? []
    expect(second).toEqual([{ text: 'const b', tone: 'code-comment' }])
  })

  test.each(['sh', 'py', 'tsx', 'yml', 'toml', 'html', 'rs', 'kt', 'Dockerfile', 'Makefile', 'h', 'c++'])(
    'knows a language as %s',
    (name) => {
      expect(highlightCode(['x = 1'], name)).not.toBeNull()
    },
  )

  test.each([
    ['of an unknown language', ['x'], 'klingon'],
    ['without a language', ['x'], ''],
    ['named as a property of objects', ['x'], 'constructor'],
    ['of very many lines', Array.from({ length: 2_001 }, () => 'x'), 'ts'],
    ['with a very long line', ['x'.repeat(2_001)], 'ts'],
  ])('is not given to code %s', (_what, lines, language) => {
    expect(highlightCode(lines, language)).toBeNull()
  })
})
