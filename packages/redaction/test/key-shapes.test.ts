import { secretCorpus } from '@parley/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../src/scan/redactor.ts'

const corpus = secretCorpus()
const tag = (value: string) => value.length.toString(16).padStart(8, '0')
const redactor = createRedactor({ values: [], tag })

function inPieces(pieces: readonly string[]): string {
  const stream = redactor.stream()
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end()
}

it('the corpus has more than sixty shapes, none of them twice', () => {
  expect(corpus.length).toBeGreaterThan(60)
  expect(new Set(corpus.map(({ secret }) => secret)).size).toBe(corpus.length)
})

describe.each(corpus)('$name', ({ text, secret }) => {
  const redacted = redactor.text(text)

  it('is marked, in plain text and in JSON in JSON, which stays JSON', () => {
    expect(redacted).toMatch(/\[secret:[a-z-]+:[0-9a-f]{8}\]/)
    expect(redacted).not.toContain(secret)
    const once = redactor.text(JSON.stringify({ text }))
    const twice = redactor.text(JSON.stringify(JSON.stringify({ text })))
    expect(once + twice).not.toContain(secret)
    expect(JSON.parse(once)).toHaveProperty('text')
    expect(JSON.parse(JSON.parse(twice))).toHaveProperty('text')
  })

  it('is marked once: a second redaction changes nothing', () => {
    expect(redactor.text(redacted)).toBe(redacted)
  })

  it('gives the same output cut in two anywhere, and letter by letter', () => {
    for (let at = 0; at <= text.length; at++)
      expect(inPieces([text.slice(0, at), text.slice(at)]), `cut at ${at}`).toBe(redacted)
    expect(inPieces([...text])).toBe(redacted)
  })

  it('is found with other text around it', () => {
    for (const [before, after] of [
      ['\x1b[32m', '\x1b[0m'],
      ['\\n', '\\n'],
      ['%20', ' '],
      ['"', '"'],
      ['\n+', '\n'],
      ['日本語 ', ' — ok'],
    ] as const)
      expect(redactor.text(before + text + after), before).not.toContain(secret)
  })
})

it('many secrets in any pieces give the output of the whole, and a second redaction changes nothing', () => {
  const word = fc.oneof(
    fc.constantFrom(...corpus.map(({ text }) => text)),
    fc.constantFrom('-----BEGIN ', 'sk-', 'Bearer ', '://', 'password=', '[secret:', '[secret:aws:0123abcd]', 'AKIA'),
    fc.string({ maxLength: 12 }),
  )
  const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), lengths, (words, cuts) => {
      const text = words.join(' ')
      const pieces: string[] = []
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const length = cuts[turn % cuts.length] ?? 1
        pieces.push(text.slice(at, at + length))
        at += length
      }
      const redacted = redactor.text(text)
      expect(inPieces(pieces)).toBe(redacted)
      expect(redactor.text(redacted)).toBe(redacted)
    }),
    { numRuns: 150 },
  )
})

it('the possible start of a secret is held back until it is decided, at most one block of it', () => {
  const stream = redactor.stream()
  expect(stream.push('here is the key AKI')).toBe('here is ')
  expect(stream.push('NG of the hill')).toBe('the key AKING of the hill')
  const block = redactor.stream()
  expect(block.push('-----BEGIN RSA PRIVATE KEY-----\n')).toBe('')
  const line = `${'aB3'.repeat(21)}x\n`
  let out = ''
  for (let n = 0; n < 4000; n++) out += block.push(line)
  expect(out.length).toBeGreaterThan(100_000)
  expect(out).toMatch(/^\[secret:private-key:/)
  expect(stream.push('plain words go on')).toBe('plain words go on')
})

describe('a private key that is cut off', () => {
  const key = corpus.find(({ name }) => name === 'RSA PRIVATE KEY')?.text ?? ''

  it.each([3, 7])('is marked as far as its first %i lines go', (count) => {
    const cut = key.split('\n').slice(0, count).join('\n')
    expect(redactor.text(`${cut}\n... 20 more lines\n`)).toBe(`[secret:private-key:${tag(cut)}]\n... 20 more lines\n`)
  })

  it('is marked with numbers before its lines, and as a patch', () => {
    const numbered = key.split('\n').map((line, n) => `${String(n + 1).padStart(4)}\t${line}`)
    const added = key.split('\n').map((line) => `+${line}`)
    for (const lines of [numbered, added]) expect(redactor.text(lines.join('\n'))).not.toMatch(/[A-Za-z0-9+/]{30}/)
  })
})

it.each([
  'Authorization: Bearer <token>',
  'Authorization: Bearer $TOKEN_OF_THE_ENVIRONMENT',
  'curl -H "Authorization: Bearer YOUR_API_TOKEN_HERE_123"',
  'postgres://user:password@localhost:5432/db',
  'https://user:pass@example.org and http://$USER:$PASS@host/ and redis://:<PASSWORD>@host',
  'AKIAIOSFODNN7EXAMPLE',
  'const AKIAX = 1; task-abcdefghijklmnopqrstuvwxyz0123456789',
  'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  'API_KEY=your_api_key_goes_here_1234',
  'CACHE_KEY=v1-deps-2024-01-01 PRIMARY_KEY=id12345678901 S3_KEY=path/to/object/file1.txt',
  'ARG SSH_KEY=/root/.ssh/id_ed25519',
  'SECRET_NAME=my-app/prod/db1 TOKEN_TYPE=urn:ietf:params:oauth:token-type:jwt1',
  'TOKENIZER=gpt2-tokenizer-fast-v2 APP_PUBLIC_KEY=ssh-ed25519AAAAC3',
  'client_secret=self.oauth2_parameters.client_secret',
  'sha512-Aq7mXzv0R2p1TqNbY9+u4E8jKc6sWd3fGhLoIiPxVvBnMyCkZtUrEaSwQ5DgFhJl7KzXcVbNm2Qw==',
  '"integrity": "sha512-1Qz8M7mXnVrF3sT6yU9iO2pA4dG5hJ7kL0zX3cV8bN1mQ6wE9rT2yU5iO8pA1sD4fG7hJ0kL3zX6cV9bN2mQ5w=="',
  '4f0a1d27-9c3b-4f7e-8a65-0d1c2b3a4f5e e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
  "if (text.startsWith('-----BEGIN RSA PRIVATE KEY-----')) return parse(text)",
  '-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----',
  'the password= field, the token= field; passwordless login; password=$1&next=/',
  'npm_config_registry_and_more_words_that_go_on_and_on npm_lifecycle_event',
])('is no secret: %s', (text) => {
  expect(redactor.text(text)).toBe(text)
})

it('a text of many beginnings of keys is looked through in one pass', () => {
  const text = '-----BEGIN '.repeat(60_000)
  expect(redactor.text(text)).toBe(text)
  expect(inPieces([text])).toBe(text)
})
