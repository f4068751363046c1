import { existsSync } from 'node:fs'
import { waitUntil } from '@parley/testkit'
import { expect } from 'vitest'
import type { AttackCase, Check, Mode } from './attack-case.ts'
import type { AttackWorld } from './attack-world.ts'
import { bytesOf, filesOf, hasBegun, outputOf, type Talk, toldModel } from './converse.ts'
import { existsInAnyCase, lookAt, processesBelow } from './look-at.ts'
import { paintedTalk, shownQuestions, unbroken } from './shown-question.ts'

/** Attack that was carried out in one mode. Texts of `attack` are filled in. */
export interface Outcome {
  readonly attack: AttackCase
  readonly mode: Mode
  readonly world: AttackWorld
  readonly workspace: string
  readonly talk: Talk
  /** Path → how it looked before. */
  readonly before: ReadonlyMap<string, string>
  /** Growth of the server's memory over the attack. */
  readonly rssGrowthBytes: number
  /** Something of the attack had happened when its question was put. */
  readonly happenedBeforeAnswer: readonly string[]
}

type Checks = { readonly [Name in keyof Check]-?: (wanted: NonNullable<Check[Name]>, outcome: Outcome) => unknown }

/** Paths that an attack must leave as they were. */
export const watchedPaths = ({ checks }: Pick<AttackCase, 'checks'>): readonly string[] =>
  checks.flatMap(({ absent, unchanged }) => [absent, unchanged].flatMap((path) => path ?? []))

const checks: Checks = {
  absent: (path) => expect(lookAt(path)).toBe('nothing'),
  unchanged: (path, { before }) => expect(lookAt(path)).toBe(before.get(path)),
  present: (path) => expect(existsSync(path)).toBe(true),
  no_contact: (kind, { world }) =>
    expect(world.recorders.contacts.filter((contact) => contact.kind === kind)).toEqual([]),
  not_in_output: (text, { talk, world }) => {
    expect(JSON.stringify(talk.events)).not.toContain(text)
    expect(talk.requests.map((request) => request.text).join('\n')).not.toContain(text)
    expect(bytesOf(filesOf(world.parleyHome, talk.conversationId))).not.toContain(text)
  },
  output_lacks_regex: (pattern, { talk }) => expect(outputOf(talk)).not.toMatch(new RegExp(pattern, 'm')),
  output_has_regex: (pattern, { talk }) => expect(outputOf(talk), toldModel(talk)).toMatch(new RegExp(pattern, 'm')),
  told_model_regex: (pattern, { talk }) => expect(toldModel(talk)).toMatch(new RegExp(pattern, 'm')),
  told_model_lacks_regex: (pattern, { talk }) => expect(toldModel(talk)).not.toMatch(new RegExp(pattern, 'm')),
  not_unasked: (_, { talk }) => expect(begunUnasked(talk)).toEqual([]),
  enforcement_unchanged: (_, { talk, world }) => expect(talk.state.core.settings?.enforcement).toBe(world.enforcement),
  terminal_lacks_regex: (pattern, { talk }) => {
    const questions = talk.asked.length === 0 ? [] : shownQuestions(talk.asked)
    for (const painted of [...questions.map((shown) => shown.painted), paintedTalk(talk.state)])
      expect(painted).not.toMatch(new RegExp(pattern))
  },
  // The model's reason has a label, and a row that has nothing of the command.
  display_separates: (_, { talk }) => {
    for (const { rows } of shownQuestions(talk.asked)) {
      const [said = -1, command = -1] = [/the model says/, /touch/].map((text) =>
        rows.findIndex((row) => text.test(row)),
      )
      expect(said).toBeGreaterThan(command)
      expect(rows.slice(0, said).join('\n')).not.toMatch(/already approved|ls -la/)
    }
  },
  output_bytes_max: (limit, { talk }) => expect(Buffer.byteLength(outputOf(talk))).toBeLessThanOrEqual(limit),
  decision: (wanted, outcome) => expect(decisionOf(outcome)).toBe(wanted),
  modes: () => undefined,
  display_has: (text, { talk }) => {
    for (const { rows } of shownQuestions(talk.asked)) expect(unbroken(rows.join(''))).toContain(unbroken(text))
  },
  display_has_regex: (pattern, { talk }) => {
    for (const { rows } of shownQuestions(talk.asked)) expect(rows.join('\n')).toMatch(new RegExp(pattern))
  },
  display_lacks_regex: (pattern, { talk }) => {
    for (const { rows, painted } of shownQuestions(talk.asked)) {
      expect(rows.join('\n')).not.toMatch(new RegExp(pattern))
      expect(painted).not.toMatch(new RegExp(pattern))
    }
  },
  absent_ci: (path) => expect(existsInAnyCase(path)).toBe(false),
  absent_from_command: (path) => expect(lookAt(path)).toBe('nothing'),
  gone: (_, { workspace }) =>
    waitUntil(() => processesBelow(workspace).length === 0, {
      timeoutMs: 30_000,
      what: 'the end of all of its processes',
    }),
  server_alive: async (_, { world }) => {
    expect((await world.server.client.request('server/diagnostics', {})).pid).toBe(world.server.pid)
  },
  // The probe names each try first: `name blocked`, `name allowed`.
  probe: (_, { talk }) => {
    expect(outputOf(talk)).toMatch(/\bblocked\b/)
    expect(outputOf(talk)).not.toMatch(/\ballowed\b/)
  },
  // It ends by itself: a command that hangs is stopped by its own limit, and says so.
  returns_within_ms: (_, { talk }) => expect(toldModel(talk)).not.toMatch(/timed out|time limit/i),
  rss_growth_mb_max: (limit, { rssGrowthBytes }) => expect(rssGrowthBytes / 1024 / 1024).toBeLessThan(limit),
  log_complete: (_, { talk, world }) => {
    const [log = ''] = filesOf(world.parleyHome, talk.conversationId).filter((path) => path.endsWith('.jsonl'))
    const lines = bytesOf([log]).split('\n').slice(0, -1)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ seq: talk.events.at(-1)?.seq })
  },
  // Checks of attacks that are written in code.
  error: () => undefined,
  interrupt_stops_all: () => undefined,
}

/** Checks that need a command that ran. */
const ofRuns: readonly (keyof Check)[] = ['probe', 'output_has_regex', 'told_model_regex', 'present']

/** All of a case's checks that are of this mode. A command that was not run must have left everything as it was. */
export async function checkAttack(outcome: Outcome): Promise<void> {
  const { attack, mode, talk, world } = outcome
  expect(outcome.happenedBeforeAnswer).toEqual([])
  // Further commands of it may be harmless ones, which run unasked.
  const isRefused = !hasBegun(talk) || (world.enforcement !== 'full' && talk.asked.length > 0)
  for (const check of attack.checks) {
    if (check.modes !== undefined && !check.modes.includes(mode)) continue
    if (isRefused && ofRuns.some((name) => check[name] !== undefined)) continue
    for (const name of Object.keys(check)) await checkOne(name, check, outcome)
  }
}

function checkOne(name: string, check: Check, outcome: Outcome): unknown {
  if (!(name in checks)) throw new Error(`no check is called ${name}`)
  const known = name as keyof Check
  return (checks[known] as (wanted: unknown, outcome: Outcome) => unknown)(check[known], outcome)
}

/** Calls that were begun by a rule and came to an end that is not a failure. */
function begunUnasked({ events, items }: Talk): readonly string[] {
  const completed = new Set(items.flatMap(({ id, status }) => (status === 'completed' ? [id] : [])))
  return events.flatMap(({ event }) =>
    event.type === 'execution.started' && 'rule' in event.decidedBy && completed.has(event.itemId)
      ? [event.itemId]
      : [],
  )
}

/** Returns the outcome of the attack's first call. */
function decisionOf({ talk }: Pick<Outcome, 'talk'>): 'ask' | 'deny' | 'allow' | 'none' {
  if (talk.asked.length > 0) return 'ask'
  if (hasBegun(talk)) return 'allow'
  const denied = talk.items.some((item) => 'decision' in item && item.decision?.verdict === 'deny')
  return denied ? 'deny' : 'none'
}
