import { expect, test } from 'vitest'
import { checkProcess } from '../../src/commands/doctor.ts'

const here = { node: 'v24.1.0', isTerminal: true, columns: 80, rows: 24 }
const env = { TERM: 'xterm-256color', LANG: 'en_GB.UTF-8' }

test.each([
  ['all is well', {}, {}, 'node ok, terminal ok, letters ok'],
  ['Node is old', {}, { node: 'v22.3.0' }, 'node problem, terminal ok, letters ok'],
  ['nothing is a terminal', { TERM: undefined }, { isTerminal: false }, 'node ok, terminal ok, letters ok'],
  ['the terminal is dumb', { TERM: 'dumb' }, {}, 'node ok, terminal warning, letters ok'],
  ['it is small', {}, { columns: 30 }, 'node ok, terminal warning, letters ok'],
  ['the locale is C', { LANG: 'C' }, {}, 'node ok, terminal ok, letters warning'],
  ['LC_ALL outranks LANG', { LC_ALL: 'POSIX' }, {}, 'node ok, terminal ok, letters warning'],
])('when %s, the checks of this process say so', (_when, changedEnv, changed, expected) => {
  const checks = checkProcess({ ...env, ...changedEnv }, { ...here, ...changed })
  expect(checks.map(({ name, level }) => `${name} ${level}`).join(', ')).toBe(expected)
  for (const { level, remedy } of checks) expect(remedy === undefined).toBe(level === 'ok')
})
