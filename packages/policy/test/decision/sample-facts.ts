import { sandboxLimits } from '../../src/decision/decide.ts'
import type { Facts } from '../../src/decision/facts.ts'
import { type Grant, sessionAnswers } from '../../src/decision/grants.ts'
import type { CommandFacts, CommandPart } from '../../src/decision/kinds/command/facts.ts'
import { type ProcessInputFacts, processInputRows } from '../../src/decision/kinds/command/process-input.ts'
import { commandRows } from '../../src/decision/kinds/command/rows.ts'
import type { McpFacts } from '../../src/decision/kinds/mcp.ts'
import { type OtherToolFacts, toolRows } from '../../src/decision/kinds/other-tool.ts'
import { type PatchFacts, patchRows } from '../../src/decision/kinds/patch.ts'
import { type ReadFacts, readRows } from '../../src/decision/kinds/read.ts'
import type { LimitSettings, SandboxUse } from '../../src/decision/rules/matrix.ts'
import type { Rule, RuleTarget, RuleVerdict } from '../../src/decision/rules/rules.ts'

export function part(argv: readonly string[], changed: Partial<CommandPart> = {}): CommandPart {
  const [program = ''] = argv
  return { argv, program, programPath: `/usr/bin/${program}`, programInsideRoots: false, knownSafe: false, ...changed }
}

export function command(parts: readonly CommandPart[], changed: Partial<CommandFacts> = {}): CommandFacts {
  return {
    kind: 'command',
    tool: 'shell',
    argv: parts[0]?.argv ?? [],
    script: null,
    understood: true,
    parts,
    seen: [],
    dangerous: null,
    knownSafe: parts.length > 0 && parts.every((each) => each.knownSafe),
    touchesSecret: null,
    reads: [],
    cwd: '/work',
    workspace: '/work',
    escalation: null,
    background: false,
    ...changed,
  }
}

export function patch(files: Readonly<Record<string, { inside?: boolean; protectedBy?: string }>>): PatchFacts {
  return {
    kind: 'patch',
    tool: 'apply_patch',
    files: Object.entries(files).map(([real, { inside = true, protectedBy = null }]) => ({
      path: real,
      real,
      insideRoots: inside,
      protectedBy,
    })),
    contentHash: 'sha256:00',
    cwd: '/work',
  }
}

export function read(
  real: string,
  changed: { insideRoots?: boolean; secret?: boolean; recursive?: boolean } = {},
): ReadFacts {
  const path = { path: real, real, recursive: false, insideRoots: true, secret: false, ...changed }
  return { kind: 'read', tool: 'read_file', paths: [path], cwd: '/work' }
}

export function other(readOnly: boolean): OtherToolFacts {
  return { kind: 'other', tool: 'update_plan', readOnly }
}

export function processInput(changed: Partial<ProcessInputFacts> = {}): ProcessInputFacts {
  return {
    kind: 'processInput',
    tool: 'write_process',
    processId: 'i-1',
    command: command([part(['npm', 'test'])], { background: true }),
    written: command([part(['ls'])], { background: true }),
    sandbox: 'workspace-write',
    ...changed,
  }
}

export function mcp(server: string, name: string, readOnly = false): McpFacts {
  return { kind: 'mcp', tool: `mcp__${server}__${name}`, server, name, readOnly }
}

export function rule(decision: RuleVerdict, target: RuleTarget, reason?: string): Rule {
  const source = { file: '/home/policy.toml', line: 3 }
  return reason === undefined ? { decision, target, source } : { decision, target, source, reason }
}

export function commandRule(decision: RuleVerdict, ...words: string[]): Rule {
  return rule(decision, { kind: 'command', prefix: words.map((word) => word.split('|')) })
}

const rows = { ...commandRows, ...patchRows, ...readRows, ...toolRows, ...processInputRows }

/** Calls, one for each row of the matrix. */
export const sampleOf = {
  knownSafe: command([part(['ls'], { knownSafe: true })]),
  otherCommand: command([part(['npm', 'test'])]),
  escalation: command([part(['ls'], { knownSafe: true })], { escalation: { reason: 'please' } }),
  network: command([part(['npm', 'install'])], { network: { reason: 'please' } }),
  dangerous: command([part(['rm', '-rf', 'x'])], { dangerous: 'rm deletes without asking' }),
  patchInside: patch({ '/work/a': {} }),
  patchOutside: patch({ '/work/a': {}, '/etc/b': { inside: false } }),
  patchProtected: patch({ '/work/.parley/config.toml': { protectedBy: 'changes parley settings' } }),
  readInside: read('/work/a'),
  readOutside: read('/etc/hosts', { insideRoots: false }),
  readSecret: read('/home/.ssh/id', { insideRoots: false, secret: true }),
  toolReadOnly: other(true),
  toolWithEffects: other(false),
  processLike: processInput(),
  processWider: processInput({ network: 'own' }),
  processUnsandboxed: processInput({ sandbox: 'none', network: 'own' }),
} satisfies Record<keyof typeof rows, unknown>

type RowName = keyof typeof sampleOf

/** Names of the rows, in the order in which the kinds of facts declare them. */
export const rowNames = Object.keys(rows).filter((name): name is RowName => name in sampleOf)

const usual: LimitSettings = { approvalPolicy: 'on-request', sandboxMode: 'workspace-write' }

/** Returns what yeses for the session give that were said to a call which runs so, the narrowest first. */
export function grantsOf(facts: Facts, run: SandboxUse, settings: LimitSettings = usual): readonly Grant[] {
  return sessionAnswers({ facts, limits: sandboxLimits(facts, run, settings) }).map(({ grant }) => grant)
}
