import type { RunLimits } from '@parley/protocol'
import { describe, expect, it } from 'vitest'
import { decide } from '../../src/decision/decide.ts'
import { describeFacts, type Facts } from '../../src/decision/facts.ts'
import { type Grant, isGranted, isStillAlike, sessionAnswers } from '../../src/decision/grants.ts'
import { command, mcp, other, part, patch, processInput, read, rule } from './sample-facts.ts'

const limits: RunLimits = { sandbox: 'workspace-write', network: false }

interface Asked {
  readonly facts: Facts
  readonly limits?: RunLimits
}

const db = { ...mcp('db', 'query'), input: 'sha256:in', offered: 'sha256:tool' }
const npm = command([part(['npm', 'test'])])
const ssh = read('/home/.ssh/config', { secret: true })

/**
 * A question of each kind, and what may be shown of another one that differs in one thing. `alike`: those that the
 * answer in wider words covers by what it says.
 */
const questions: Readonly<
  Record<Facts['kind'], { first: Facts; others: readonly Asked[]; alike: readonly Facts[]; words: readonly string[] }>
> = {
  command: {
    first: npm,
    others: [
      { facts: { ...npm, argv: ['npm', 'test', 'x'] } },
      { facts: { ...npm, script: 'npm test; x' } },
      { facts: { ...npm, cwd: '/work/sub' } },
      { facts: { ...npm, workspace: '/elsewhere' } },
      { facts: { ...npm, background: true } },
      { facts: { ...npm, tool: 'exec' } },
      { facts: { ...npm, parts: [part(['npm', 'test'], { programPath: '/work/npm' })] } },
      { facts: { ...npm, parts: [part(['npm', 'test'], { programReal: '/opt/npm' })] } },
      { facts: { ...npm, parts: [part(['npm', 'test'], { programInsideRoots: true })] } },
      { facts: { ...npm, understood: false, notUnderstoodBecause: 'a loop' } },
      { facts: { ...npm, reads: [{ path: 'a', real: '/work/a', recursive: false }] } },
      { facts: { ...npm, touchesSecret: '~/.ssh' } },
      { facts: npm, limits: { sandbox: 'none', network: true } },
      { facts: npm, limits: { ...limits, network: true } },
    ],
    alike: [],
    words: ['exactly this command'],
  },
  mcp: {
    first: db,
    others: [
      { facts: { ...db, input: 'sha256:other' } },
      { facts: { ...db, offered: 'sha256:changed' } },
      { facts: { ...db, name: 'drop' } },
      { facts: { ...db, server: 'db2' } },
      { facts: { ...db, confined: { mode: 'read-only', network: false } } },
    ],
    alike: [{ ...db, input: 'sha256:other' }],
    words: ['exactly this call', 'any call of db/query'],
  },
  processInput: {
    first: processInput(),
    others: [
      { facts: processInput({ written: command([part(['make'])], { background: true }) }) },
      { facts: processInput({ processId: 'i-2' }) },
      { facts: processInput({ command: command([part(['make'])]) }) },
      { facts: processInput({ sandbox: 'read-only' }) },
    ],
    alike: [processInput({ written: command([part(['make'])], { background: true }) })],
    words: ['exactly this text', 'any text to this process'],
  },
  read: {
    first: ssh,
    others: [
      { facts: read('/home/.ssh/id', { secret: true }) },
      { facts: read('/home/.ssh/config', { secret: true, recursive: true }) },
      { facts: { ...ssh, tool: 'search' } },
    ],
    alike: [],
    words: ['any look at this path by read_file'],
  },
  patch: {
    first: patch({ '/work/a': {} }),
    others: [{ facts: patch({ '/work/b': {} }) }, { facts: patch({ '/work/a': {}, '/work/b': {} }) }],
    alike: [{ ...patch({ '/work/a': {} }), contentHash: 'sha256:11' }],
    words: ['any change to this file'],
  },
  other: {
    first: other(false),
    others: [{ facts: { ...other(false), tool: 'stop_process' } }],
    alike: [],
    words: ['any call of update_plan'],
  },
  question: { first: { kind: 'question', tool: 'ask_user', count: 1 }, others: [], alike: [], words: [] },
  proposal: { first: { kind: 'proposal', tool: 'propose_plan', steps: 1 }, others: [], alike: [], words: [] },
}

const cases = Object.entries(questions)

const exact = (grants: readonly Grant[]) => grants.filter(({ kind }) => kind === 'exactly')

describe('a yes for the session', () => {
  it.each(cases)('to a question of the kind %s says in words what it covers', (_kind, { first, words }) => {
    const answers = sessionAnswers({ facts: first, limits })
    expect(answers.map((answer) => answer.words)).toEqual(words)
    expect(answers.map(({ words: said, grant }) => [grant.kind, said.split(' ')[0]])).toEqual(
      answers.map(({ grant }) => [grant.kind, grant.kind === 'exactly' ? 'exactly' : 'any']),
    )
    expect(
      isGranted(
        answers.map(({ grant }) => grant),
        { facts: first, limits },
      ),
    ).toBe(words.length > 0)
  })

  it.each(cases)('to a question of the kind %s covers none that differs in anything shown', (_kind, question) => {
    const { first, others, alike } = question
    const given = sessionAnswers({ facts: first, limits }).map(({ grant }) => grant)
    expect(given.length > 0).toBe(others.length > 0)
    for (const { facts, limits: shown = limits } of others) {
      const differs = JSON.stringify(facts)
      expect(isGranted(exact(given), { facts, limits: shown }), differs).toBe(false)
      const isNamed = alike.some((one) => JSON.stringify(one) === differs)
      expect(isGranted(given, { facts, limits: shown }), differs).toBe(isNamed)
    }
    for (const facts of alike) expect(isGranted(given, { facts, limits })).toBe(true)
  })

  it('covers no question of another kind, whatever its marks are', () => {
    for (const [, { first }] of cases) {
      const given = sessionAnswers({ facts: first, limits }).map(({ grant }) => grant)
      for (const [kind, { first: asked }] of cases)
        if (asked.kind !== first.kind) expect(isGranted(given, { facts: asked, limits }), kind).toBe(false)
    }
  })

  it('counts nothing between two questions of which people are told other facts', () => {
    const all = cases.flatMap(([, { first, others }]) => [first, ...others.map(({ facts }) => facts)])
    for (const one of all) {
      const given = exact(sessionAnswers({ facts: one, limits }).map(({ grant }) => grant))
      for (const another of all)
        if (JSON.stringify(describeFacts(one)) !== JSON.stringify(describeFacts(another)))
          expect(isGranted(given, { facts: another, limits })).toBe(false)
    }
  })

  it('to any call of a tool of an MCP server ends when the tool or its launch changes', () => {
    const [, any] = sessionAnswers({ facts: db, limits })
    const settings = {
      ...({ rules: [], approvalPolicy: 'on-request', sandboxMode: 'workspace-write', enforcement: 'full' } as const),
      sessionGrants: any === undefined ? [] : [any.grant],
    }
    expect(decide({ ...db, input: 'sha256:other' }, settings)).toMatchObject({
      rule: { name: 'builtin:session-grant' },
    })
    expect(decide({ ...db, offered: 'sha256:changed' }, settings).verdict).toBe('ask')
    const asked = { ...settings, rules: [rule('ask', { kind: 'mcp', pattern: 'db/*' })] }
    expect(decide(db, asked).verdict).toBe('allow')
  })

  it('to a tool that was exchanged while the question waited is not what was shown', () => {
    expect(isStillAlike(db, db)).toBe(true)
    expect(isStillAlike(db, { ...db, offered: 'sha256:changed' })).toBe(false)
    expect(isStillAlike(npm, npm)).toBe(true)
  })

  it('is in wider words only for a tool whose name reads as one', () => {
    const odd = { ...db, name: 'query, and all others' }
    expect(sessionAnswers({ facts: odd, limits }).map(({ words }) => words)).toEqual(['exactly this call'])
  })

  it('to a call of a log from before calls had hashes covers what it covered then, and no call that has them', () => {
    const before = mcp('db', 'query')
    const given = sessionAnswers({ facts: before, limits }).map(({ grant }) => grant)
    expect(isGranted(given, { facts: before, limits })).toBe(true)
    expect(isGranted(given, { facts: db, limits })).toBe(false)
  })
})
