import { describe, expect, it } from 'vitest'
import { redactInSlices, redactOutput, splitUnfinished } from '../src/redaction.ts'
import { createRedactor } from '../src/scan/redactor.ts'

const secret = 'quiet-otter-9041-harbour-lantern'

function shown(output: string, cut: boolean): string {
  const redactor = createRedactor({ values: [{ value: secret, kind: 'env' }], tag: () => '00000000' })
  const filter = redactOutput(redactor.stream())
  return filter.push(Buffer.from(output)).toString() + filter.end(cut).toString()
}

describe('the end of the output of a command', () => {
  it('loses half of a secret where the command was killed', () => {
    const half = secret.slice(0, 20)
    expect(shown(`please see ${half}`, true)).toMatch(
      /^ple[a-z ]*\[\d\d bytes left out: cut off, perhaps within a secret\]$/,
    )
    expect(shown(`see ${half}`, false)).toBe(`see ${half}`)
  })

  it('keeps a few characters of a secret, a whole secret as its mark, and plain text', () => {
    expect(shown(`see ${secret.slice(0, 6)}`, true)).toBe(`see ${secret.slice(0, 6)}`)
    expect(shown(`see ${secret}`, true)).toBe('see [secret:env:00000000]')
    expect(shown('all is well\n', true)).toBe('all is well\n')
  })

  it('is withheld after a whole secret as well', () => {
    const half = secret.slice(0, 20)
    expect(splitUnfinished(`[secret:env:00000000]${half}`)).toEqual({ shown: '[secret:env:00000000]', withheld: half })
  })
})

describe('a long text', () => {
  const redactor = createRedactor({ values: [{ value: secret, kind: 'env' }], tag: () => '00000000' })

  it('without a secret stays the same', async () => {
    const text = 'all is well 😀\n'.repeat(50_000)
    expect((await redactInSlices(text, redactor)) === text).toBe(true)
  })

  it.each([0, 1, 30, 40_000])('has the marks that it has as a whole (%i characters in front)', async (before) => {
    const text = `${'x'.repeat(before)} ${`see ${secret} and 😀 `.repeat(10_000)}${secret}`
    expect((await redactInSlices(text, redactor)) === redactor.text(text)).toBe(true)
  })
})
