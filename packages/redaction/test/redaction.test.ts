import { describe, expect, it } from 'vitest'
import { redactOutput, splitUnfinished } from '../src/redaction.ts'
import { createRedactor } from '../src/scan/redactor.ts'

const secret = 'quiet-otter-9041-harbour-lantern'

function shown(output: string, cut: boolean): string {
  const redactor = createRedactor({ values: [{ value: secret, kind: 'env' }], tag: () => '00000000' })
  const filter = redactOutput(redactor.stream())
  return filter.push(Buffer.from(output)).toString() + filter.end(cut).toString()
}

describe('the end of what a command says', () => {
  it('has no half of a secret where the command was killed', () => {
    const half = secret.slice(0, 20)
    expect(shown(`please see ${half}`, true)).toMatch(
      /^ple[a-z ]*\[\d\d bytes left out: cut off, and perhaps half a secret\]$/,
    )
    expect(shown(`see ${half}`, false)).toBe(`see ${half}`)
  })

  it('stays where a few characters of one tell nothing, where it is whole, and where it is none', () => {
    expect(shown(`see ${secret.slice(0, 6)}`, true)).toBe(`see ${secret.slice(0, 6)}`)
    expect(shown(`see ${secret}`, true)).toBe('see [secret:env:00000000]')
    expect(shown('all is well\n', true)).toBe('all is well\n')
  })

  it('is kept back after a whole secret as well', () => {
    const half = secret.slice(0, 20)
    expect(splitUnfinished(`[secret:env:00000000]${half}`)).toEqual({ shown: '[secret:env:00000000]', withheld: half })
  })
})
