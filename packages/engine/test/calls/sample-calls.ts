import type { CommandFacts } from '@parley/policy'
import {
  type ApprovalDecision,
  type CallItem,
  type ConversationEvent,
  type ConversationState,
  initialState,
  reduce,
  type Settings,
} from '@parley/protocol'
import type { PhasedCall } from '../../src/calls/advance-call.ts'
import type { CallPolicy } from '../../src/calls/attempt.ts'
import { notStarted, type PreparedCall, type ReadyCall } from '../../src/tools/contract/tool.ts'

const itemId = 'item'
const turnId = 'turn'
const workspace = { cwd: '/work', roots: ['/work'] }

const commandItem = {
  id: itemId,
  type: 'commandExecution',
  status: 'proposed',
  tool: 'shell',
  title: 'make it',
  text: 'make it',
  command: ['make', 'it'],
  cwd: '/work',
} as const satisfies CallItem

/** A command that is understood and not known to be harmless. */
const commandFacts: CommandFacts = {
  kind: 'command',
  tool: 'shell',
  argv: ['make', 'it'],
  script: null,
  understood: true,
  parts: [
    {
      argv: ['make', 'it'],
      program: 'make',
      programPath: '/usr/bin/make',
      programInsideRoots: false,
      knownSafe: false,
    },
  ],
  seen: [['make', 'it']],
  dangerous: null,
  knownSafe: false,
  touchesSecret: null,
  reads: [],
  cwd: '/work',
  workspace: '/work',
  escalation: null,
  background: false,
}

const plan: ReadyCall = { payload: 'make it', run: () => Promise.resolve(notStarted) }
const prepared: PreparedCall = {
  describe: () => ({ type: 'toolCall', kind: 'other', title: '', text: '', input: '' }),
  facts: () => Promise.resolve(commandFacts),
  plan: () => Promise.resolve(plan),
}

const known = { itemId, written: null }
export const understood: PhasedCall = { ...known, phase: 'understood', prepared, workspace, isHooked: false }
export const examined: PhasedCall = { ...known, phase: 'examined', prepared, workspace, facts: commandFacts }
export const planned: PhasedCall = { ...known, phase: 'planned', plan, facts: commandFacts }
export const unreachable: PhasedCall = { ...known, phase: 'unreachable', message: 'It is off.' }

export function plannedAs(payload: string): PhasedCall {
  return { ...known, phase: 'planned', plan: { ...plan, payload }, facts: commandFacts }
}

/** The log of a conversation with one call in it. */
export function logOf(settings: Partial<Settings>, ...events: readonly ConversationEvent[]): ConversationState {
  const { core } = initialState('c')
  const created: ConversationEvent = {
    type: 'conversation.created',
    cwd: '/work',
    settings: { ...core.settings, ...settings },
    program: 'test',
  }
  const proposed: ConversationEvent = { type: 'item.started', turnId, item: commandItem }
  const all: readonly ConversationEvent[] = [created, { type: 'turn.started', turnId, trigger: 'message' }, proposed]
  return [...all, ...events].reduce(
    (state, event, index) => reduce(state, { conversationId: 'c', seq: index + 1, at: 0, event }),
    initialState('c'),
  )
}

export function policyWith(state: ConversationState, changes: Partial<CallPolicy> = {}): CallPolicy {
  return {
    state,
    rules: [],
    sessionGrants: [],
    isOwnAnswer: () => true,
    hasHooks: () => false,
    runningOnMs: () => null,
    policyFile: '/home/policy.toml',
    ceiling: 'workspace-write',
    secretsIn: () => new Map(),
    stopped: false,
    ...changes,
  }
}

export function asked(contentHash: string): ConversationEvent {
  const approval = {
    id: 'approval',
    itemId,
    turnId,
    kind: 'command' as const,
    title: '',
    detail: '',
    cwd: '/work',
    sandbox: 'none' as const,
    reason: 'it was asked',
    rule: { name: 'builtin:ask' },
    decisions: ['approved' as const, 'denied' as const],
    answerableBy: [],
    contentHash,
  }
  return { type: 'approval.requested', approval }
}

export function answered(decision: ApprovalDecision): ConversationEvent {
  return { type: 'approval.decided', approvalId: 'approval', decision, by: { clientId: 'c1', name: 'test' } }
}

export const started = {
  type: 'execution.started',
  itemId,
  attempt: 1,
  decidedBy: { rule: { name: 'builtin:sandboxed' }, reason: '' },
  payloadHash: 'sha256:0',
} as const satisfies ConversationEvent

/** Outcome of a first run in the sandbox that was blocked at one path. */
export const blockedItem = {
  ...commandItem,
  status: 'failed',
  modelText: 'exit 3',
  exitCode: 3,
  attempt: 1,
  decision: {
    verdict: 'allow',
    rule: { name: 'builtin:sandboxed' },
    reason: '',
    limits: { sandbox: 'workspace-write', network: false },
  },
  sandboxBlock: { paths: ['/etc/x'], network: false },
} as const satisfies Extract<CallItem, { type: 'commandExecution' }>

export const blocked: ConversationEvent = {
  type: 'execution.failed',
  itemId,
  attempt: 1,
  item: { ...blockedItem, sandboxBlock: { paths: ['/etc/x'], network: false } },
}

/** A run of the given attempt that ended at a block of the sandbox. */
export function ranInto(number: 1 | 2): PhasedCall {
  const { sandboxBlock: block, ...item } = blockedItem
  return {
    ...known,
    phase: 'ran',
    planned: { facts: commandFacts, plan },
    item: { ...item, attempt: number },
    block: { paths: [...block.paths], network: block.network },
    sandboxBroke: false,
    attempt: { number },
  }
}
