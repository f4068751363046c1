import type { ApprovalKind, RunLimits } from '@parley/protocol'
import {
  allHaveNetwork,
  honoursRequests,
  type LimitSettings,
  type SandboxPolicy,
  type SandboxUse,
  usualLimits,
} from '../../rules/matrix.ts'
import { quotedWord } from '../../rules/rules.ts'
import {
  type ApprovedText,
  type AskedLimits,
  type AskedRun,
  type DescribedFact,
  describeList,
  type FactsKind,
} from '../kind.ts'
import { alwaysTargetsOf } from './always-allow.ts'
import { findDanger } from './dangerous.ts'
import {
  type CommandFacts,
  type CommandPart,
  type CommandRequests,
  type CommandWords,
  commandFactsSchema,
} from './facts.ts'
import { isInertCredential } from './inert-credentials.ts'
import { allowForCommand, mayBeRepeated, strictCommandMatcher, widerForCommand } from './match.ts'
import { innerCommands } from './reached-commands.ts'
import { particularsOfCommand, rowOfCommand } from './rows.ts'

export const commandKind: FactsKind<CommandFacts> = {
  schema: commandFactsSchema,
  row: rowOfCommand,
  particulars: particularsOfCommand,
  describe: describeCommand,
  exactly: (facts) => (mayBeRepeated(facts) ? 'exactly this command' : null),
  allowedBy: allowForCommand,
  widenedBy: widerForCommand,
  isNeverAllowed: ({ touchesSecret }) => touchesSecret !== null,
  strictMatcher: strictCommandMatcher,
  paths: ({ workspace, reads }) => ({ cwd: workspace, paths: reads }),
  alwaysTargets: alwaysTargetsOf,
  escalates: ({ escalation }) => escalation !== null,
  withoutNeedlessRequest,
  limits: limitsOf,
  approvalKind: approvalKindOf,
  askedLimits: askedLimitsOf,
  hasOwnLimits: true,
  approvedText: approvedTextOf,
}

/** Drops the request for the network where all commands have it. */
function withoutNeedlessRequest(facts: CommandFacts, policy: SandboxPolicy): CommandFacts {
  if (facts.network === undefined || !allHaveNetwork(policy)) return facts
  const { network: _needless, ...others } = facts
  return others
}

/** Returns the limits in force. A known-safe command gets read-only ones, so that a wrong judgement changes nothing. */
function limitsOf(facts: CommandFacts, use: SandboxUse, settings: LimitSettings): RunLimits {
  const limits = usualLimits(use, settings)
  if (limits.sandbox === 'none') return limits
  const hasRequest = facts.network !== undefined && honoursRequests(settings.approvalPolicy)
  if (facts.knownSafe && !hasRequest) return { sandbox: 'read-only', network: false }
  return { ...limits, network: hasRequest || allHaveNetwork(settings) }
}

/** Returns the gravest thing a command asks for: leaving the sandbox, then destroying, then the network. */
function approvalKindOf(facts: CommandFacts, { number, limits, approvalPolicy }: AskedRun): ApprovalKind {
  const { escalation, network, dangerous } = facts
  if (number > 1) return limits.sandbox === 'none' ? 'escalation' : 'network'
  if (!honoursRequests(approvalPolicy)) return 'command'
  if (escalation !== null) return 'escalation'
  return network !== undefined && dangerous === null && limits.sandbox !== 'none' ? 'network' : 'command'
}

function askedLimitsOf({ escalation, network }: CommandRequests, limits: RunLimits): AskedLimits {
  const justification = escalation?.reason ?? network?.reason
  return { network: limits.network, ...(justification === undefined ? {} : { justification }) }
}

/** Names of programs and of scripts are never masked, since the user must see what runs. */
function approvedTextOf({ script, argv, parts, seen }: CommandWords): ApprovedText {
  const programs = [...parts.map(({ program }) => program), ...seen.map(([program]) => program)]
  const text = script ?? argv.join(' ')
  return {
    text,
    mayMask: (secret) => isInertCredential(secret, text) && !programs.some((program) => program?.includes(secret)),
  }
}

function describeCommand(facts: CommandFacts): readonly DescribedFact[] {
  const { understood, notUnderstoodBecause, dangerous, touchesSecret, escalation, network, background } = facts
  const because = notUnderstoodBecause === undefined ? '' : `: ${notUnderstoodBecause}`
  return [
    { about: 'folder', text: facts.cwd },
    ...(understood
      ? describeList('commands', facts.parts.map(describePart))
      : [{ about: 'commands', text: `cannot be told for certain${because}` }]),
    ...(dangerous === null ? [] : [{ about: 'danger', text: dangerous }]),
    ...(touchesSecret === null ? [] : [{ about: 'secrets', text: `${touchesSecret} is where secrets are kept` }]),
    ...(escalation === null
      ? []
      : [{ about: 'asked for', text: `to run outside the sandbox. In the model's words: ${escalation.reason}` }]),
    ...(network === undefined
      ? []
      : [{ about: 'asked for', text: `the network. In the model's words: ${network.reason}` }]),
    ...(background ? [{ about: 'background', text: 'it goes on after the call, without a time limit' }] : []),
    ...describeList(
      'reads',
      facts.reads.map(({ real, recursive }) => (recursive ? `${real} and all below it` : real)),
    ),
  ]
}

function describePart({ argv, programPath, programInsideRoots, knownSafe }: CommandPart): string {
  const missing = programInsideRoots ? 'which file that is depends on the folder' : 'no file of that name is found'
  const path = programPath ?? missing
  const shadow = programPath !== null && programInsideRoots ? ', a file of the writable folders' : ''
  return `${argv.map(quotedWord).join(' ')} (${path}${shadow}; ${knownSafe ? 'only looks' : 'not known to be safe'})`
}

/** Returns the facts of one part as if it stood alone, to explain it. Decisions use the facts of the whole command. */
export function factsOfPart(whole: CommandFacts, part: CommandPart): CommandFacts {
  const seen = [part.argv, ...innerCommands(part.argv)]
  const touchesSecret = part.argv.includes(whole.touchesSecret ?? '') ? whole.touchesSecret : null
  return {
    ...whole,
    argv: part.argv,
    script: null,
    parts: [part],
    seen,
    dangerous: findDanger(seen, ''),
    knownSafe: part.knownSafe && touchesSecret === null,
    touchesSecret,
    reads: whole.reads.filter(({ path }) => part.argv.some((word) => names(word, path))),
  }
}

function names(word: string, path: string): boolean {
  const text = word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word
  return text !== '' && (path === text || path.endsWith(`/${text}`))
}
