import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { scenarios } from './scenarios/scenarios.ts'
import { adjusted } from './world/adjusted.ts'
import { attackCases, givenCases, ownCases } from './world/attack-case.ts'

const page = readFileSync(new URL('../../../../docs/security.md', import.meta.url), 'utf8')

describe('the tables of attacks', () => {
  test('have every given case and at least as many of our own, each once', () => {
    expect(givenCases.length).toBe(112)
    expect(ownCases.length).toBeGreaterThan(givenCases.length)
    const ids = attackCases.map(({ id }) => id)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  })

  test('adjust nothing that is not there', () => {
    const given = new Set(givenCases.map(({ id }) => id))
    expect(Object.keys(adjusted).filter((id) => !given.has(id))).toEqual([])
  })

  test('look at something in every case: by checks, or in code', () => {
    const told = attackCases.filter(({ scenario }) => scenario === true).map(({ id }) => id)
    expect(told.filter((id) => scenarios[id] === undefined)).toEqual([])
    expect(Object.keys(scenarios).filter((id) => !told.includes(id))).toEqual([])
    expect(
      attackCases.filter(({ checks, scenario, modes }) => (checks.length === 0 && !scenario) || modes.length === 0),
    ).toEqual([])
  })

  test('accept exactly the limits that docs/security.md lists, in the same words', () => {
    const listed = [...page.matchAll(/^- \*\*([AP]\d{3})\*\* (.+)$/gm)].map(([, id, text]) => `${id} ${text}`)
    const accepted = attackCases.flatMap(({ id, name, accepted: reason }) =>
      reason === undefined ? [] : [`${id} ${name}: ${reason}`],
    )
    expect(listed).toEqual(accepted)
  })
})
