import { expect, test } from 'vitest'
import { callerName } from '../../../src/scripted/input/message.ts'

const env = { CODEX_INTERNAL_ORIGINATOR_OVERRIDE: 'codex_sdk_ts' }

test.each([
  ['its source', { experimentalJson: true, threadSource: 'nightly' }, 'nightly'],
  ['the SDK', { experimentalJson: true }, 'codex_sdk_ts'],
  ['no one else, although the variable is there', { json: true }, 'parley-exec'],
])('a run is named for %s', (_name, flags, name) => {
  expect(callerName(flags, env)).toBe(name)
})
