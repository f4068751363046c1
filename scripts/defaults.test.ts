import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  configDefaults,
  hookTimeoutDefault,
  limitDefaults,
  mcpServerDefaults,
  storeReplicas,
} from '../packages/config/src/defaults.ts'
import { root } from './layering/sources.ts'

const home = 'packages/config/src/defaults.ts'

/** Names that a setting has in code, with the folder where a name alone is too common. Every default needs an entry. */
const namesOf: Readonly<Record<string, RegExp>> = {
  approval_policy: /approval_?policy/i,
  sandbox_mode: /\bsandbox(?:_?mode)?\b/i,
  model_auto_compact_percent: /percent/i,
  network_patience: /patience/i,
  cli_auth_credentials_store: /credentials_store|wanted/,
  wire_api: /wire_?api/i,
  startup_timeout_sec: /startup/i,
  tool_timeout_sec: /tool_?timeout|toolSec/i,
  storeReplicas: /replicas/i,
  hookTimeoutDefault: /hook.*(?:timeout|seconds)/i,
  modelOutputBytes: /modelOutput|limitBytes/,
  commandTimeoutMs: /timeoutMs|timeout_ms/,
  checkTimeoutMs: /checkTimeout|timeout_ms/,
  processLines: /\blines\b|defaultLines/,
  processWaitS: /wait_?s\b|timeoutS|waitS/i,
  readLines: /\blimit\b|maxLines|defaultLimit/,
  searchMatches: /maxShown/i,
  searchTimeMs: /searchTime|look-up.*timeLimitMs/,
  listLevels: /\bdepth|maxLevel/i,
  listEntries: /look-up.*maxEntries/,
}

const defaults: Readonly<Record<string, string | number>> = {
  ...configDefaults,
  ...mcpServerDefaults,
  ...limitDefaults,
  hookTimeoutDefault,
  storeReplicas,
}

/** Spellings of a value in code. */
function spellings(value: string | number): string {
  if (typeof value === 'string') return `'${value}'`
  const digits = String(value)
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, '_')
  const kibibytes = value % 1024 === 0 ? [`${value / 1024} \\* 1024`] : []
  const minutes = value % 60_000 === 0 ? [`${value / 60_000} \\* 60_000`] : []
  return `(?:${[digits, grouped, ...kibibytes, ...minutes].join('|')})(?![\\d_.]| \\*)`
}

test('a default stands in packages/config/src/defaults.ts and nowhere else', () => {
  const sources = globSync('{packages,apps}/*/src/**/*.{ts,tsx}', { cwd: root })
    .filter((path) => path !== home && !path.startsWith('packages/testkit/'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const found = Object.entries(defaults).flatMap(([key, value]) => {
    const name = namesOf[key]
    expect(name, `names of ${key}`).toBeDefined()
    const literal = new RegExp(`(?:\\?\\?|[^=!<>]=) ${spellings(value)}`)
    return sources.flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, at) =>
          literal.test(line) && name?.test(`${path} ${line}`) === true ? [`${path}:${at + 1} ${line.trim()}`] : [],
        ),
    )
  })
  expect(found).toEqual([])
})
