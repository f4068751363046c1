import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactOutput } from '../src/redaction.ts'
import { isSecretName, secretsNamed, secretValue } from '../src/scan/known-values.ts'
import { createRedactor } from '../src/scan/redactor.ts'

const tag = () => '0badcafe'
const mark = '[secret:DB_PASSWORD:0badcafe]'

function hiding(value: string) {
  return createRedactor({ values: [{ kind: 'DB_PASSWORD', value }], tag })
}

describe('a known value', () => {
  const value = 'p"ä\\s/s w&rd+1'
  const redactor = hiding(value)

  it('is marked unchanged, in JSON and in a URL, and nothing else is', () => {
    expect(redactor.text(`x${value}x`)).toBe(`x${mark}x`)
    expect(redactor.text(JSON.stringify({ value }))).toBe(`{"value":"${mark}"}`)
    expect(redactor.text(`?p=${encodeURIComponent(value)}&q`)).toBe(`?p=${mark}&q`)
    expect(redactor.text('p"ä')).toBe('p"ä')
  })

  it.each([0, 1, 2, 3, 4, 5])('is marked in base64 after %i other bytes', (before) => {
    const bytes = Buffer.from(`${'u'.repeat(before)}${value}:tail`)
    for (const encoding of ['base64', 'base64url'] as const) {
      const redacted = redactor.text(bytes.toString(encoding))
      expect(redacted).toContain(mark)
      expect(Buffer.from(redacted.replace(mark, ''), encoding).toString()).not.toContain(value.slice(1, -1))
    }
  })

  const json = (signs: RegExp) => (text: string) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(signs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)

  it.each<[string, (text: string) => string]>([
    ['JSON of PHP', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
    ['JSON of Python, Ruby and Java', json(/[^\0-\x7f]/g)],
    ['JSON of Go', json(/[<>&]/g)],
    ['JSON of both', json(/[<>&\u007f-\uffff]/g)],
    ['JSON of Gson', json(/[<>&='\u007f-\uffff]/g)],
    ['a URL in small letters', (text) => encodeURIComponent(text).replaceAll(/%../g, (sign) => sign.toLowerCase())],
    ['a whole URL', encodeURI],
    ['a form', (text) => new URLSearchParams({ '': text }).toString().slice(1)],
  ])('is marked as %s writes it, and what only looks alike stays', (_, write) => {
    const secret = "wäl&<Pass>/w0rd k='7'"
    expect(hiding(secret).text(`a ${write(secret)} b`)).toBe(`a ${mark} b`)
    const other = write("wäl&<Pass>/w0rd k='8'")
    expect(hiding(secret).text(other)).toBe(other)
  })

  it.each([
    ['lines of 76', 76, '\n'],
    ['lines of 64 with returns', 64, '\r\n'],
    ['lines of 76 in JSON', 76, '\\n'],
    ['lines of 60 that are indented', 60, '\n      '],
  ])(
    'is marked in base64 in %s, wherever it stands, but for at most twelve letters at its beginning',
    (_, size, end) => {
      const secret = 'wJalrXUt/nFEMI+K7MDENG/bPxRfiCYzz9Q4hT1k'
      for (let before = 0; before < 90; before++) {
        const whole = Buffer.from(`${'u'.repeat(before)}${secret}\ntail`).toString('base64')
        const written = whole.match(new RegExp(`.{1,${size}}`, 'g'))?.join(end) ?? ''
        const redacted = hiding(secret).text(written)
        expect(redacted, String(before)).toContain(mark)
        const left = Buffer.from(redacted.replaceAll(end, '').split(mark)[0] ?? '', 'base64').toString()
        expect(left.slice(before).length, String(before)).toBeLessThan(10)
        const stream = hiding(secret).stream()
        expect([...written].map((letter) => stream.push(letter)).join('') + stream.end()).toBe(redacted)
      }
    },
  )

  it('is marked in bytes, whatever its characters', () => {
    const output = redactOutput(redactor.stream())
    expect(output.push(Buffer.from(`before ${value} after`)).toString()).toBe(`before ${mark} after`)
    expect(output.end(false).toString()).toBe('')
  })

  it('of any characters never stands in the output', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 30, unit: 'grapheme' }), fc.string(), (secret, around) => {
        fc.pre(!mark.includes(secret) && !secret.includes('secret:') && !around.includes(secret))
        const text = `${around} ${secret} ${around}`
        expect(hiding(secret).text(text).split(secret)).toHaveLength(1)
      }),
      { numRuns: 100 },
    )
  })
})

it('a URL may hold a token for a name beside its password', () => {
  const redactor = hiding('tokenfortheuser9')
  expect(redactor.text('https://tokenfortheuser9:hunTer99x@host/')).toBe(`https://${mark}:[secret:url:0badcafe]@host/`)
})

it.each([
  ['OPENAI_API_KEY', true],
  ['GITHUB_TOKEN', true],
  ['PGPASSWORD', true],
  ['SECRET_KEY_BASE', true],
  ['npm_config__authToken', true],
  ['DOCKER_PASS', true],
  ['SENTRY_DSN', true],
  ['X-Api-Key', true],
  ['Authorization', true],
  ['KEYBOARD_LAYOUT', false],
  ['SSH_AUTH_SOCK', false],
  ['PWD', false],
  ['OLDPWD', false],
  ['MAX_TOKEN_LIMIT', false],
  ['TOKEN_FILE', false],
  ['AWS_ACCESS_KEY_ID', false],
  ['PUBLIC_KEY', false],
  ['CACHE_KEY', false],
  ['APP_S3_KEY', false],
  ['CACHE_SECRET_KEY', true],
  ['AUTH_DOMAIN', false],
  ['AUTH_PROVIDER', false],
  ['TOKENIZERS_PARALLELISM', false],
  ['MONKEY', false],
  ['PATH', false],
])('the name %s is that of a secret: %s', (name, expected) => {
  expect(isSecretName(name)).toBe(expected)
})

it.each([
  ['aB3dE6gH', true],
  ['correct-horse', true],
  ['abcdefghijklmnop', true],
  ['short1', false],
  ['password', false],
  ['development', false],
  ['/run/secrets/db', false],
  ['~/keys/id', false],
  ['12345678', false],
  ['xxxxxxxxxxxx', false],
  ['', false],
])('the value %s is searched for: %s', (value, expected) => {
  expect(secretValue('A_TOKEN', value)).toHaveLength(expected ? 1 : 0)
})

it('variables with a secret name are secrets of that name', () => {
  expect(secretsNamed({ MY_TOKEN: ' abc-123-def\n', HOME: '/home/ann', EMPTY_TOKEN: undefined })).toEqual([
    { kind: 'MY_TOKEN', value: 'abc-123-def' },
  ])
})
