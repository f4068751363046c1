import { tempWorkspace } from '@parley/testkit'
import { runsOf } from '@parley/testkit/long-runs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diskPatchFiles } from '../../../src/patch/apply/disk-patch-files.ts'
import { parsePatch } from '../../../src/patch/parse/parse-patch.ts'
import type { FileEdit } from '../../../src/patch/plan/plan-edit.ts'
import { planPatch } from '../../../src/patch/plan/plan-patch.ts'
import { patchOf } from '../patch-run.ts'

/** What stands where the lines of a chunk are not clear. */
const refused = Symbol('refused')

interface LookAlike {
  readonly name: string
  readonly file: string
  readonly lines: readonly string[]
  readonly after: string | typeof refused
  /** What the edit makes, where its text is in the file exactly, inside of a line. */
  readonly exactly?: string
}

const table: readonly LookAlike[] = [
  { name: 'the indentation of YAML is lost', file: 'a:\n  c: 1\n', lines: ['-c: 1', '+c: 2'], after: 'a:\n  c: 2\n' },
  {
    name: 'a deeper line is added to YAML without its indentation',
    file: 'a:\n  b:\n    c: 1\n',
    lines: [' b:', '-  c: 1', '+  c: 2', '+  d:', '+    e: 1'],
    after: 'a:\n  b:\n    c: 2\n    d:\n      e: 1\n',
  },
  {
    name: 'a Makefile has tabs, the patch blanks',
    file: 'all: x\n\tcc -o a a.c\n',
    lines: [' all: x', '-        cc -o a a.c', '+        cc -o b a.c', '+        strip b'],
    after: 'all: x\n\tcc -o b a.c\n\tstrip b\n',
  },
  {
    name: 'Python with tabs gets a deeper line',
    file: 'def f():\n\tif a:\n\t\treturn 1\n',
    lines: [' def f():', '     if a:', '-        return 1', '+        if b:', '+            return 2'],
    after: 'def f():\n\tif a:\n\t\tif b:\n\t\t\treturn 2\n',
  },
  {
    name: 'Python with blanks gets tabs',
    file: 'def f():\n    return 1\n',
    lines: [' def f():', '-\treturn 1', '+\tif a:', '+\t\treturn 2'],
    after: 'def f():\n    if a:\n        return 2\n',
  },
  {
    name: 'one line of context is wrong',
    file: 'if a:\n\tb()\n\tc()\n',
    lines: [' if a:', '     b()', '-\tc()', '+\td()'],
    after: 'if a:\n\tb()\n\td()\n',
  },
  {
    name: 'each line has a blank too many',
    file: 'a {\n  b\n\n  c\n}\n',
    lines: ['  a {', '-   b', '+   B', '  ', '    c', '+   d', '+ ', '  }'],
    after: 'a {\n  B\n\n  c\n  d\n\n}\n',
  },
  {
    name: 'typographic quotes stay',
    file: '“It’s a – b”, he said.\n',
    lines: ['-"It\'s a - b", he said.', '+"It\'s a - b", she said.'],
    after: '“It’s a – b”, she said.\n',
  },
  {
    name: 'as many quotes in the changed part keep their form',
    file: 'say “one” now\n',
    lines: ['-say "one" now', '+say "two words" now'],
    after: 'say “two words” now\n',
  },
  {
    name: 'a no-break space stays',
    file: 'costs 10\u00a0€ each\n',
    lines: ['-costs 10 € each', '+costs 10 € all'],
    after: 'costs 10\u00a0€ all\n',
  },
  {
    name: 'a line that stays between changed ones keeps its quotes',
    file: '“a”\nb\nc\n',
    lines: ['-"a"', '-b', '+"a"', '+B', ' c'],
    after: '“a”\nB\nc\n',
  },
  {
    name: 'two blanks at the end are a break in Markdown',
    file: 'one  \ntwo\n',
    lines: ['-one', '+ONE', ' two'],
    after: 'ONE  \ntwo\n',
  },
  {
    name: 'blanks at an end are taken away',
    file: 'a = 1  \nb\n',
    lines: ['-a = 1  ', '+a = 1', ' b'],
    after: 'a = 1\nb\n',
  },
  {
    name: 'the added indentation may be that of the file',
    file: 'f:\n    return 1\n',
    lines: ['-return 1', '+    return 2'],
    after: refused,
    exactly: 'f:\n        return 2\n',
  },
  {
    name: 'a line is added where two indentations are lost',
    file: 'a:\n  b: 1\nc: 2\n',
    lines: [' a:', ' b: 1', '+d: 3', ' c: 2'],
    after: refused,
  },
  {
    name: 'a line with a quote more',
    file: 'say “one” now\n',
    lines: ['-say "one" now', '+or "one", "two" now'],
    after: refused,
  },
  {
    name: 'a brace alone is everywhere',
    file: 'a\n  }\nb\n',
    lines: ['-    }', '+    };'],
    after: refused,
  },
  { name: 'two lines fit, with two indentations', file: ' a1\nb\n  a1\n', lines: ['-a1', '+a2'], after: refused },
]

async function planned(file: string, edit: FileEdit): Promise<string | typeof refused> {
  await using folder = await tempWorkspace({ files: { f: file } })
  const outcome = await planPatch({ changes: [edit], cwd: folder.path, files: diskPatchFiles })
  if (!outcome.ok) {
    expect(outcome.failures[0]?.message).toMatch(/nearest lines|at line \d+|Nothing in its|is the same/)
    return refused
  }
  return Buffer.from(outcome.plans[0]?.after?.bytes ?? []).toString()
}

function patched(file: string, lines: readonly string[]) {
  const parsed = parsePatch(patchOf('*** Update File: f', '@@', ...lines))
  const [hunk] = parsed.ok ? parsed.hunks : []
  if (hunk === undefined) throw new Error('the test is wrong')
  return planned(file, hunk)
}

function edited(file: string, lines: readonly string[]) {
  const textOf = (sign: string) => lines.filter((line) => line[0] !== sign).map((line) => `${line.slice(1)}\n`)
  return planned(file, { kind: 'replace', path: 'f', old: textOf('+').join(''), new: textOf('-').join(''), all: false })
}

describe('lines that fit only leniently', () => {
  it.each(table)('keep the characters of the file in a patch: $name', async ({ file, lines, after }) => {
    expect(await patched(file, lines)).toBe(after)
  })

  it.each(table)('keep the characters of the file in an edit: $name', async ({ file, lines, after, exactly }) => {
    expect(await edited(file, lines)).toBe(exactly ?? after)
  })

  it('keep each kept line, and each changed one its indentation', async () => {
    const indent = fc.constantFrom('', ' ', '  ', '    ', '\t', '\t\t')
    const line = fc.tuple(fc.constantFrom(' ', '-'), indent, indent, fc.constantFrom('one', 'two “x”', 'three - 3'))
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), async (lines) => {
        const file = lines.map(([, inFile, , text], index) => `${inFile}${text} ${index}\n`).join('')
        const chunk = lines.flatMap(([sign, , inPatch, text], index) => {
          const plain = `${inPatch}${text.replace(/[“”]/g, '"')} ${index}`
          return sign === ' ' ? [` ${plain}`] : [`-${plain}`, `+${plain}!`]
        })
        const after = lines
          .map(([sign, inFile, , text], index) => `${inFile}${text} ${index}${sign === ' ' ? '' : '!'}\n`)
          .join('')
        fc.pre(lines.some(([sign]) => sign === '-'))
        expect(await patched(file, chunk)).toBe(after)
        expect(await edited(file, chunk)).toBe(after)
      }),
      { numRuns: runsOf(60) },
    )
  })
})

describe('an edit in a file of mixed line ends', () => {
  it.each<[string, string, string, string, string]>([
    ['a line in CRLF', 'a\r\nb\r\nc\n', 'b', 'B\nB2', 'a\r\nB\r\nB2\r\nc\n'],
    ['a line in LF', 'a\r\nb\nc\r\n', 'b', 'B\nB2', 'a\r\nB\nB2\nc\r\n'],
    ['lines of both, of which one stays', 'a\r\nb\nc\r\nd\n', 'a\nb\nc', 'A\nb\nC', 'A\r\nb\nC\r\nd\n'],
    ['two lines by two', 'a\r\nb\nc\n', 'a\nb\n', 'A\nB\n', 'A\r\nB\nc\n'],
    ['a line that joins the next', 'a\r\nb\nc\n', 'a\n', 'A ', 'A b\nc\n'],
    ['the last line, without an end', 'a\r\nb\nc', 'c', 'C\nD', 'a\r\nb\nC\nD'],
    ['the last line end', 'a\r\nb\n', 'b\n', 'b', 'a\r\nb'],
    ['all lines', 'a\r\nb\n', 'a\nb\n', '', ''],
    ['line ends alone', 'a\r\nb\nc\n', 'a\r\nb\n', 'a\nb\n', 'a\nb\nc\n'],
    ['line ends alone, in a file of CRLF', 'a\r\nb\r\n', 'a\r\n', 'a\n', 'a\nb\r\n'],
  ])('of %s keeps those of each line', async (_name, file, old, text, after) => {
    expect(await planned(file, { kind: 'replace', path: 'f', old, new: text, all: false })).toBe(after)
  })

  it('of all occurrences keeps those of each line', async () => {
    const edit = { kind: 'replace', path: 'f', old: 'x', new: 'y\nz', all: true } as const
    expect(await planned('x x\r\nx\nq\n', edit)).toBe('y\r\nz y\r\nz\r\ny\nz\nq\n')
  })

  it('makes the text that a replacement makes, and changes no line beside it', async () => {
    const line = fc.tuple(fc.constantFrom('a', 'b', 'cc', ''), fc.constantFrom('\n', '\r\n'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('a', 'a\n', 'b\na', 'c', '\nb'),
        fc.constantFrom('', 'n', 'n\nn', 'n\n', '\nb\nb'),
        fc.boolean(),
        async (lines, old, text, all) => {
          const file = lines.map((one) => one.join('')).join('')
          const after = await planned(file, { kind: 'replace', path: 'f', old, new: text, all })
          fc.pre(after !== refused && typeof after === 'string')
          const plain = file.replaceAll('\r\n', '\n')
          expect(String(after).replaceAll('\r\n', '\n')).toBe(
            all ? plain.split(old).join(text) : plain.replace(old, text),
          )
          const untouched = lines.findIndex(
            (_, index) =>
              plain.indexOf(old) <
              lines
                .slice(0, index + 1)
                .map(([one]) => `${one}\n`)
                .join('').length,
          )
          const head = lines
            .slice(0, untouched)
            .map((one) => one.join(''))
            .join('')
          expect(String(after).startsWith(head)).toBe(true)
        },
      ),
      { numRuns: runsOf(150) },
    )
  })
})
