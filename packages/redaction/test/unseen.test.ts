import { secretCorpus } from '@parley/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactOutput } from '../src/redaction.ts'
import { createRedactor } from '../src/scan/redactor.ts'

const value = 'zq9-Private-Välue-77812-xyz'
const kinds = [{ kind: 'DEPLOY_TOKEN', value }]
const redactor = createRedactor({ values: kinds, tag: () => '0badcafe' })
const corpus = [...secretCorpus(), { name: 'a known value', text: `V=${value} end`, secret: value }]

/** What may stand in a text without being seen, and what a reader takes out of it to see the rest. */
const unseen: Readonly<Record<string, readonly [text: string, shown: RegExp]>> = {
  'a colour': ['\x1b[01;31m\x1b[K', /\x1b\[[\d;]*[mK]/g],
  'a colour of eight bits': ['\x9b1m', /\x9b1m/g],
  'a colour, spelled out': ['\\u001b[1;32m', /\\u001b\[1;32m/g],
  'a colour, as pagers write it': ['^[[31m', /\^\[\[31m/g],
  'a colour, in octal digits': ['\\33[31m', /\\33\[31m/g],
  'a colour, as a shell writes it': ['\\E[0;31m', /\\E\[0;31m/g],
  'a colour, as JavaScript writes it': ['\\u{1b}[31m', /\\u\{1b\}\[31m/g],
  'a zero-width space in JSON': ['\\u200b', /\\u200b/g],
  'a zero-width space in JSON in JSON': ['\\\\u200B', /\\\\u200B/g],
  'a change of direction, as it is shown': ['<U+202E>', /<U\+202E>/g],
  'a backspace, as it is shown': ['\\x08', /\\x08/g],
  'a backspace in JSON': ['\\b', /\\b/g],
  'a soft hyphen, as git writes it': ['\\302\\255', /\\302\\255/g],
  'a control of line editors': ['\x01', /\x01/g],
  'a title of a screen': ['\x1bktitle\x1b\\', /\x1bktitle\x1b\\/g],
  'a title, of eight bits': ['\x9d0;title\x9c', /\x9d0;title\x9c/g],
  'a link': ['\x1b]8;;https://host/a\x1b\\', /\x1b\]8;;https:\/\/host\/a\x1b\\/g],
  'a title': ['\x1b]0;title\x07', /\x1b\]0;title\x07/g],
  'a choice of letters': ['\x1b(B\x0f', /\x1b\(B\x0f/g],
  'a zero-width space': ['\u200b', /\u200b/g],
  'a joiner and a mark of order': ['\u2060\u{e0001}\ufeff', /\u2060|\u{e0001}|\ufeff/gu],
  'a soft hyphen': ['\xad', /\xad/g],
  'an empty character': ['\0', /\0/g],
  'a return': ['\r', /\r/g],
  'a blank at the right margin': [' \r', / \r/g],
  'a backspace': ['\b', /\x08/g],
  'a letter that is taken back': ['x\b', /x\x08/g],
}

function inBytes(text: string, size: number): string {
  const filter = redactOutput(redactor.stream())
  const bytes = Buffer.from(text)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(filter.push(bytes.subarray(at, at + size)))
  return Buffer.concat([...pieces, filter.end(false)]).toString()
}

function inPieces(pieces: readonly string[]): string {
  const stream = redactor.stream()
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end()
}

describe.each(Object.entries(unseen))('%s within a secret', (_, [insertion, shown]) => {
  it.each(corpus)('hides no $name, wherever it stands', ({ text, secret }) => {
    const start = text.indexOf(secret)
    for (let at = start; at <= start + secret.length; at++) {
      const written = text.slice(0, at) + insertion + text.slice(at)
      for (const redacted of [redactor.text(written), inBytes(written, written.length)]) {
        expect(redacted.replaceAll(shown, ''), `at ${at - start}`).not.toContain(secret)
        expect(redactor.text(redacted), `at ${at - start}, twice`).toBe(redacted)
      }
    }
  })
})

it('a secret whose every letter is coloured is one mark, and the same as without colours', () => {
  const coloured = [...value].map((letter) => `\x1b[3${letter.charCodeAt(0) % 8}m${letter}\x1b[0m`).join('')
  const plain = createRedactor({ values: kinds, tag: (text) => text.length.toString(16).padStart(8, '0') })
  expect(plain.text(`a ${coloured} b`)).toBe(`a \x1b[32m${plain.text(value)}\x1b[0m b`)
})

it('a secret beside what is unseen is found where the letters before it would hide it', () => {
  const key = `ghp_${'aB3dE6gH9'.repeat(4)}`
  for (const before of ['word\x1b[31m', 'word\0', 'word\u200b', 'word\r', 'x\b'])
    expect(redactor.text(`${before}${key}`), JSON.stringify(before)).not.toContain(key)
})

describe('a text with unseen characters in pieces', () => {
  const pieces = [
    '\x1b[31m',
    '\x1b[0m',
    '\x1b',
    '[',
    '\\u001b[',
    '\\',
    '\x1b]8;;u\x07',
    '\x1b]0;',
    '\u200b',
    '\ufe0f',
    '\udb40',
    '\r',
    '\r\n',
    '\0',
    '\x9b',
  ]
  const word = fc.oneof(
    fc.constantFrom(...corpus.map(({ text }) => text)),
    fc.constantFrom(...pieces),
    fc.constantFrom('word', 'ghp_', 'password=', '[secret:aws:0123abcd]', 'é', '→'),
  )

  it('gives the output of the whole, however it is cut, and a second redaction changes nothing', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), fc.nat(), fc.integer({ min: 1, max: 40 }), (words, at, size) => {
        // Pieces are put into words as well as between them.
        const text = words.reduce((all, one, nth) => {
          const into = nth === 0 ? 0 : at % (all.length + 1)
          return nth % 2 === 0 ? all + one : all.slice(0, into) + one + all.slice(into)
        }, '')
        const redacted = redactor.text(text)
        const cut = Array.from({ length: Math.ceil(text.length / size) }, (_, nth) =>
          text.slice(nth * size, (nth + 1) * size),
        )
        expect(inPieces(cut)).toBe(redacted)
        expect(inPieces([...text])).toBe(redacted)
        expect(redactor.text(redacted)).toBe(redacted)
        const bytes = inBytes(text, text.length * 4 + 1)
        expect(inBytes(text, size)).toBe(bytes)
      }),
      { numRuns: 400 },
    )
  })

  const inDeltas = Object.entries(unseen).filter(([name]) => name !== 'a blank at the right margin')

  it.each(inDeltas)('is redacted in deltas that end within %s', (_, [insertion, shown]) => {
    const key = `ghp_${'aB3dE6gH9'.repeat(4)}`
    const written = `see ${key.slice(0, 9)}${insertion}${key.slice(9)} and`
    for (let at = 0; at <= written.length; at++) {
      const out = inPieces([written.slice(0, at), written.slice(at)])
      expect(out.replaceAll(shown, ''), `cut at ${at}`).not.toContain(key)
    }
  })
})

it('a long run of what is unseen is passed on as it comes, and unfinished titles are looked through in one pass', () => {
  const stream = redactor.stream()
  const run = '\0'.repeat(100_000)
  expect(stream.push(run)).toBe(run)
  const text = '\x1b]'.repeat(60_000)
  expect(redactor.text(text)).toBe(text)
  expect(inPieces([text, text])).toBe(text + text)
})

it.each([
  [
    'colours of a test runner',
    '\x1b[32m✓\x1b[39m \x1b[2mpasses\x1b[22m (12 tests) \x1b[1m\x1b[30m\x1b[46m RUN \x1b[0m\r\n',
  ],
  ['matches of grep', 'src/a.ts\x1b[36m:\x1b[m\x1b[K12: const \x1b[01;31m\x1b[Kkey\x1b[m\x1b[K = read("k")'],
  ['a progress bar', '10%\r20%\r\x1b[K100%\r\ndone |\b/\b-\b\\\b'],
  ['pictures and a byte order mark', '\ufeff⚠️ careful 👩‍👩‍👧 \u{1f3f4}\u{e0067}\u{e007f}'],
  ['a stand-in with colours', 'API_KEY=\x1b[33myour_api_key_goes_here_1234\x1b[0m'],
  ['a manual page', 'N\bNA\bAM\bME\bE  _\bf_\bi_\bl_\be'],
  ['text of two bytes a letter', '\xff\xfeh\0i\0'],
  ['a hash in colours', 'commit \x1b[33me3b0c44298fc1c149afbf4c8996fb92427ae41e4\x1b[m'],
])('%s without a secret stay as they are', (_, text) => {
  expect(redactor.text(text)).toBe(text)
  expect(inPieces([...text])).toBe(text)
  expect(inBytes(text, 3)).toBe(text.toWellFormed())
})
