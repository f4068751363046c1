import { describe, expect, it } from 'vitest'
import { closest, editDistance } from '../src/closest-word.ts'

describe('the closest word', () => {
  it.each([
    ['modle', 'model'],
    ['sandbox', null],
    ['approval_polcy', 'approval_policy'],
    ['x', null],
  ])('to %j is %j', (word, expected) => {
    expect(closest(word, ['model', 'model_provider', 'sandbox_mode', 'approval_policy'])).toBe(expected)
  })

  it.each([
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
  ])('is found by distance: %j to %j is %i', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
  })
})
