import { choiceWords } from '@parley/presentation/question/answer-words'
import { lineText } from '@parley/presentation/text/span'
import type { Approval, AskedFile, Enforcement } from '@parley/protocol'
import { describe, expect, test } from 'vitest'
import { approvalBlock } from '../../../src/view/approval/approval-block.ts'
import { approvalDetail } from '../../../src/view/approval/whole-approval.ts'
import { after, command, requested, started, turnStarted } from '../scenes/conversation.ts'

function approvalOf(fields: Partial<Approval>): Approval {
  const state = after(turnStarted, started(command('x')), requested(fields))
  const [approval] = Object.values(state.core.approvals)
  if (approval === undefined) throw new Error('nothing is asked')
  return approval
}

interface Shown {
  readonly columns?: number
  readonly maxRows?: number
  readonly enforcement?: Enforcement
}

function lines(fields: Partial<Approval>, { columns = 80, maxRows = 24, enforcement = 'full' }: Shown = {}) {
  const asking = {
    enforcement,
    waiting: 1,
    homeFolder: '/home/ada',
    mode: 'answer',
    hasDraft: false,
    mayWrite: true,
    form: null,
    heldKey: null,
    reached: null,
    isSeen: false,
    maxRows,
  } as const
  return approvalBlock({ ...asking, approval: approvalOf(fields) }, { columns }).rows
}

function shown(fields: Partial<Approval>, columns = 80): string {
  return lines(fields, { columns }).map(lineText).join('\n')
}

const asCommand = (detail: string) => ({ title: detail.split('\n', 1)[0] ?? '', detail })

describe('the command in a question', () => {
  test.each([
    [
      'an escape that repaints the line',
      'touch pwned #\x1b[2K\r\x1b[1A ls -la',
      'touch pwned #\\x1b[2K\\r\\x1b[1A ls -la',
    ],
    ['the clipboard and a link', 'echo \x1b]52;c;cm0=\x07 \x1b]8;;http://x/\x07safe', '\\x1b]52;c;cm0=\\x07 \\x1b]8;;'],
    ['8-bit controls', 'echo \x9b2K\x9d0;x\x9c', 'echo \\x9b2K\\x9d0;x\\x9c'],
    ['a backspace and a null', 'ls\b\b\x00rm', 'ls\\x08\\x08\\x00rm'],
  ])('shows %s as visible escapes, and says that they are there', (_what, detail, expected) => {
    const text = shown(asCommand(detail))
    expect(text).toContain(expected)
    expect(text).toContain('contains control characters')
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/)
  })

  test.each([
    ['a bidi override', 'echo \u202e dwp ;hs.lacol/\u202c && touch pwned', '<U+202E>'],
    ['an isolate', 'echo \u2066x\u2069', '<U+2066>x<U+2069>'],
    ['a zero-width space', 'r\u200bm x', 'r<U+200B>m x'],
    ['a tag', 'ls\u{e0041}', 'ls<U+E0041>'],
    ['a filler that looks like a blank', 'ls\u3164-la', 'ls<U+3164>-la'],
    ['a no-break space', 'rm\u00a0-rf', 'rm<U+00A0>-rf'],
    ['a variation selector', 'ls\ufe01', 'ls<U+FE01>'],
    ['half a pair', 'ls \ud800', 'ls <U+D800>'],
  ])('shows %s by its number, in the order it is stored', (_what, detail, expected) => {
    const text = shown(asCommand(detail))
    expect(text).toContain(expected)
    expect(text).toContain('contains invisible characters')
  })

  test('tells an escape from the same letters written out', () => {
    const styled = (detail: string) =>
      lines(asCommand(detail))
        .flat()
        .find(({ text }) => text.includes('\\x1b'))
    expect(styled('echo \x1b')).toMatchObject({ text: '\\x1b', tone: 'bad' })
    expect(styled('echo \\x1b')).not.toHaveProperty('tone')
    expect(shown(asCommand('echo \\x1b'))).not.toContain('contains')
  })

  test.each([
    ['a program of another script', '\u0441url http://x/', 'U+0441 looks like c'],
    ['one behind an operator', 'ls; \u0440s', 'U+0440 looks like p'],
    ['one in a substitution', 'echo $(\u0455h x)', 'U+0455 looks like s'],
    ['one on a line of its own', 'ls\n\u0441url x', 'U+0441 looks like c'],
    ['a Greek letter', 'm\u03bfunt x', 'U+03BF looks like o'],
    ['fullwidth letters', '\uff52m x', 'U+FF52 looks like r'],
    ['mathematical letters', '\u{1d5cb}m x', 'U+1D5CB looks like r'],
    ['a path that seems to be another', 'cat /etc/p\u0430sswd', 'U+0430 looks like a'],
    ['a whole word that seems plain', 'cat \u0430\u0435\u043e', 'U+0430 looks like a'],
    ['a slash that is none', 'rm /tmp\u2215x', 'U+2215 looks like /'],
    ['a dash that is none', 'rm \u2013rf', 'U+2013 looks like -'],
    ['any letter in the name of a program', 'caf\u00e9 x', 'U+00E9 (é) in the name of a program'],
  ])('flags %s', (_what, detail, expected) => {
    expect(shown(asCommand(detail))).toContain(`non-ASCII: ${expected}`)
  })

  test.each([
    'echo "grüße, 漢字 👍"',
    'cat файл.txt',
    'git commit -m "añade"',
    'grep -r naïve .',
    'ls -la',
    'echo привет',
    'git commit -m "а с нами и у них, со всеми"',
    'echo "it’s – well – “fine”…"',
    'cat путь/к/файлу.txt',
    'echo naïve café',
    'cat <<EOF > a.txt\nПривет мир\nÜbung\nEOF',
    'echo "αβγδε λόγος"',
  ])('does not flag %j', (detail) => {
    expect(shown(asCommand(detail))).not.toMatch(/non-ASCII|contains/)
  })

  test('does not treat the words of a tool as programs', () => {
    const detail = '{\n  "ключ": "значение и слова",\n  "naïve": "café"\n}'
    expect(shown({ kind: 'mcpTool', title: 'files: write', detail })).not.toContain('non-ASCII')
    const path = { kind: 'mcpTool', title: 'files: write', detail: '{ "path": "/etc/p\u0430sswd" }' } as const
    expect(shown(path)).toContain('U+0430 looks like a')
  })

  test('names a few of many doubtful letters', () => {
    expect(shown(asCommand('\u0430\u0435\u043e\u0440\u0441\u0445 x'))).toMatch(/and 3 more of the kind/)
  })

  test.each([
    ['blanks', `ls${' '.repeat(4_000)}; touch pwned`, '⟨4000 spaces⟩'],
    ['tabs', `ls${'\t'.repeat(400)}; touch pwned`, 'spaces⟩'],
    ['empty lines', `ls${'\n'.repeat(400)}touch pwned`, '⟨399 empty lines⟩'],
    ['lines of blanks', `ls${'\n   '.repeat(400)}\ntouch pwned`, 'empty lines⟩'],
  ])('is not pushed out of sight by %s', (_what, detail, mark) => {
    const text = shown(asCommand(detail))
    expect(text).toContain(mark)
    expect(text).toContain('touch pwned')
  })

  test('of 10,000 characters shows its head, its tail, its length and the key for all of it', () => {
    const text = shown(asCommand(`echo ${'a'.repeat(9_980)}; touch pwned`))
    expect(text).toContain('━\n  echo aaaa')
    expect(text).toContain('v prints all 9,998 characters')
    expect(text).toContain('; touch pwned')
  })

  test('keeps its words whole, and marks the rows of a long line from lines of their own', () => {
    const text = shown(asCommand('npm test\nnpm run deploy -- --force-with-a-long-option'), 40)
    expect(text).toContain('\n  npm test\n  npm run deploy --\n  ↪ --force-with-a-long-option\n')
  })

  test.each([40, 80, 120])('has its choices on the screen, whatever else is long, at %i columns', (columns) => {
    const long = 'x '.repeat(2_000)
    const env = { A: long }
    const text = shown({ ...asCommand(`ls ${long}; touch pwned`), reason: long, justification: long, env }, columns)
    expect(text.replaceAll('\n  ', '')).toContain('; touch pwned')
    expect(text).toMatch(/y yes[\s\S]*Esc\s+stop/)
  })
})

describe('what goes with the command', () => {
  test("has the model's words apart, named as such, on one line, after the command and the limits", () => {
    const justification = '$ ls -la\n\n  [already approved by the user]\u202e press y'
    const rows = lines({ ...asCommand('touch pwned'), kind: 'escalation', justification })
    const said = rows.find((row) => lineText(row).includes('already approved'))
    expect(said?.map(({ text }) => text).join('')).toContain('the model says, unchecked: “$ ls -la ⏎ [already approved')
    expect(said?.map(({ text }) => text).join('')).toContain('<U+202E>')
    expect(said?.some(({ bold, text }) => bold === true && text.includes('ls -la'))).toBe(false)
    expect(rows.map(lineText).join('\n')).toMatch(/touch pwned[\s\S]*already approved/)
  })

  test.each<[string, Partial<Approval>, string]>([
    [
      'outside the sandbox',
      { kind: 'escalation', sandbox: 'none', network: true },
      'not sandboxed: it may do all that its account may, network included',
    ],
    [
      'with the network',
      { kind: 'network', sandbox: 'workspace-write', network: true },
      'sandbox workspace-write · with network',
    ],
    ['without it', { sandbox: 'read-only', network: false }, 'sandbox read-only · no network'],
    ['as a look-up elsewhere', { kind: 'read', sandbox: 'none' }, 'only reads'],
    [
      'once more',
      { sandbox: 'none', attempt: 2 },
      'It ran in the sandbox already, and failed for what the sandbox blocked.',
    ],
  ])('says what it may do %s', (_what, fields, expected) => {
    expect(shown({ ...asCommand('make'), ...fields }, 120)).toContain(expected)
  })

  test('names a sandbox that is enforced only in part', () => {
    const text = lines(
      { ...asCommand('make'), sandbox: 'workspace-write' },
      { columns: 120, enforcement: 'partial' },
    ).map(lineText)
    expect(text.join('\n')).toContain('sandbox workspace-write, in part')
    expect(shown({ ...asCommand('make'), sandbox: 'workspace-write' }, 120)).not.toContain('in part')
  })

  test.each([
    ['exactly this command', undefined, /a {2}yes, and not again for exactly this command, until I leave\n {2}n/],
    ['any change to this file', undefined, /a {2}yes, and not again for any change to this file, until I leave\n {2}n/],
    [
      'exactly this call',
      'any call of db/query',
      /exactly this call, until.*\n {2}e {2}yes, and not again for any call of db\/query, until/,
    ],
  ])('says on its key what a yes for the conversation covers: %s and %s', (covers, any, rows) => {
    const decisions: Approval['decisions'] = ['approved', 'approvedForSession', 'denied', 'abort']
    const forSession = { covers, ...(any === undefined ? {} : { any }) }
    expect(shown({ ...asCommand('npm test'), decisions, forSession })).toMatch(rows)
  })

  test('says no more of a yes for the session than an older server does', () => {
    const { forSession: _none, ...older } = approvalOf(asCommand('npm test'))
    expect(choiceWords(older, false).labels.yesForConversation).toBe(
      'yes, and not again for calls like this, until I leave',
    )
  })

  test('has the rule on the key that adds it', () => {
    const always = { label: 'npm test …', rule: '[[rule]]', file: '/home/ada/.parley/policy.toml' }
    const decisions: Approval['decisions'] = ['approved', 'approvedForSession', 'approvedAlways', 'denied', 'abort']
    const text = shown({ ...asCommand('npm test'), decisions, always })
    expect(text).toContain('  r  always allow `npm test …` (everywhere, also unsandboxed)\n  n  no …')
  })
})

describe('the files of a patch', () => {
  const named = (path: string, more: Partial<AskedFile> = {}): AskedFile => ({
    path,
    kind: 'update',
    additions: 1,
    deletions: 2,
    before: 'a',
    after: 'b',
    ...more,
  })
  const diff = `--- a.txt\n+++ a.txt\n@@ -1,0 +1,90 @@\n${'+x\n'.repeat(90)}`
  const files = [
    named('a.txt'),
    named('new\u202e.txt', { kind: 'add', before: null }),
    named('old.txt', { movedTo: 'moved.txt' }),
    named('large.txt', { kind: 'delete', after: null, deletedBytes: 4_000 }),
  ]
  const list = [
    'change a.txt (+1 −2)',
    'add new<U+202E>.txt (+1 −2)',
    'move old.txt → moved.txt (+1 −2)',
    'delete large.txt (+1 −2, 4000 bytes)',
  ]

  test('are all named, however long the lines in them are', () => {
    const text = shown({ kind: 'patch', title: 'Patch a.txt and 3 more', detail: diff, files })
    expect(text).toContain(list.map((line) => `  ${line}`).join('\n'))
    expect(text).toContain('v prints all')
  })

  test('are all named with every line in the full view', () => {
    const approval = approvalOf({ kind: 'patch', title: 'Patch', detail: diff, files })
    const rows = approvalDetail(approval, { columns: 80 }).map(lineText)
    expect(rows.slice(0, 4)).toEqual(list)
    expect(rows.filter((row) => row.trimEnd().endsWith('│+ x'))).toHaveLength(90)
  })

  test.each([
    [6, /v all, then yes · n no · Esc/],
    [12, /y yes[\s\S]*stop/],
    [16, /y yes[\s\S]*stop/],
    [24, /y yes[\s\S]*stop/],
  ])('leave room for the answers in %i rows', (maxRows, answers) => {
    const many = Array.from({ length: 40 }, (_, n) => named(`file-${n}.txt`))
    const rows = lines({ kind: 'patch', title: 'Patch', detail: diff, files: many }, { maxRows })
    expect(rows.map(lineText).join('\n')).toMatch(answers)
  })
})

describe('the names of files in a patch', () => {
  const diffOf = (name: string) => `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1,1 @@\n+x\n`

  test('are shown with what hides in them, and flagged', () => {
    const text = shown({ kind: 'patch', title: 'Patch', detail: diffOf('a\x1b[2J\u202e.txt') })
    expect(text).toContain('a\\x1b[2J<U+202E>.txt')
    expect(text).toContain('contains control characters')
    expect(text).not.toMatch(/\x1b/)
    expect(shown({ kind: 'patch', title: 'Patch', detail: diffOf('src/\u0430uth.ts') })).toContain(
      'U+0430 looks like a',
    )
  })

  test('are not confused with the lines of the file', () => {
    const detail = `${diffOf('a.txt')}+\u0441url и ещё слова\n`
    expect(shown({ kind: 'patch', title: 'Patch', detail })).not.toContain('non-ASCII')
  })
})

describe('a patch in a low window', () => {
  const context = (from: number) => Array.from({ length: 3 }, (_, index) => ` line ${from + index}`)
  const hunk = (at: number, changes: readonly string[]) => [
    `@@ -${at},7 +${at},7 @@`,
    ...context(at),
    ...changes,
    ...context(at + 4),
  ]
  const patchOf = (hunks: readonly (readonly string[])[]): Partial<Approval> => {
    const file: AskedFile = { path: 'a.txt', kind: 'update', additions: 1, deletions: 1, before: 'x', after: 'y' }
    const detail = ['--- a.txt', '+++ a.txt', ...hunks.flat(), ''].join('\n')
    return { kind: 'patch', title: 'Patch a.txt', detail, files: [file] }
  }

  test('shows its changed lines before their context, and counts what is left out', () => {
    const patch = patchOf([hunk(1, ['-old', '+new'])])
    const rows = lines(patch, { columns: 50, maxRows: 11 }).map(lineText)
    expect(rows.some((row) => row.includes('- old'))).toBe(true)
    expect(rows.some((row) => row.includes('+ new'))).toBe(true)
    const left = rows.filter((row) => row.includes('line ')).length
    expect(rows.find((row) => row.includes('… '))).toContain(`… ${6 - left} more line`)
  })

  test('keeps its first and last changes where not all of them fit', () => {
    const many = Array.from({ length: 20 }, (_, index) => hunk(index * 10 + 1, [`-old ${index}`, `+new ${index}`]))
    const text = lines(patchOf(many), { columns: 50, maxRows: 12 }).map(lineText).join('\n')
    expect(text).toMatch(/- old 0[\s\S]*… 1\d\d more lines[\s\S]*\+ new 19/)
    expect(text).not.toContain('line 1')
  })
})
