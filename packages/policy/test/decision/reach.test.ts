import type { RunLimits, SandboxMode } from '@parley/protocol'
import { expect, it } from 'vitest'
import type { Facts } from '../../src/decision/facts.ts'
import { reachOf } from '../../src/decision/reach.ts'
import { mcp, patch, processInput, read, sampleOf } from './sample-facts.ts'

const none: RunLimits = { sandbox: 'none', network: true }
const work: RunLimits = { sandbox: 'workspace-write', network: false }
const reading: RunLimits = { sandbox: 'read-only', network: false }

it.each<[string, Facts | null, RunLimits, SandboxMode]>([
  ['a command outside the sandbox', sampleOf.escalation, none, 'danger-full-access'],
  [
    'a command without any sandbox',
    sampleOf.otherCommand,
    { sandbox: 'danger-full-access', network: true },
    'danger-full-access',
  ],
  ['a command that writes', sampleOf.otherCommand, work, 'workspace-write'],
  ['a command that reads', sampleOf.knownSafe, reading, 'read-only'],
  ['a command that reads with the network', sampleOf.network, { ...reading, network: true }, 'workspace-write'],
  ['a look where secrets are kept', read('/home/.ssh/id', { secret: true }), none, 'danger-full-access'],
  ['a tool whose server has all rights', mcp('db', 'query'), none, 'danger-full-access'],
  ['a tool whose server reads', mcp('db', 'query'), reading, 'read-only'],
  ['text to a process outside the sandbox', processInput({ sandbox: 'none' }), none, 'danger-full-access'],
  ['a patch within the folders, whatever enforces limits', patch({ '/work/a': {} }), none, 'workspace-write'],
  ['a patch outside of them', patch({ '/etc/a': { inside: false } }), work, 'danger-full-access'],
  ['a patch of a protected file', sampleOf.patchProtected, work, 'danger-full-access'],
  ['a question of the model', { kind: 'question', tool: 'ask_user', count: 1 }, reading, 'read-only'],
  ['a call of which nothing is known', null, none, 'danger-full-access'],
])('%s reaches as far as a mode', (_what, facts, limits, mode) => {
  expect(reachOf({ facts, limits })).toBe(mode)
})
