import type { RunLimits } from '@parley/protocol'
import {
  allHaveNetwork,
  honoursRequests,
  type LimitSettings,
  type SandboxPolicy,
  type SandboxUse,
  usualLimits,
} from '../../rules/sandbox-policy.ts'
import { type ApprovedText, type FactsKind, isInertWord } from '../kind.ts'
import { alwaysTargetsOf } from './always-allow.ts'
import { describeCommand } from './describe.ts'
import { type CommandFacts, commandFactsSchema } from './facts.ts'
import { allowForCommand, type CommandGrant, grantFor, isSameCommand, strictCommandMatcher } from './match.ts'
import { particularsOfCommand, rowOfCommand } from './rows.ts'

export const commandKind: FactsKind<CommandFacts, CommandGrant> = {
  schema: commandFactsSchema,
  row: rowOfCommand,
  particulars: particularsOfCommand,
  describe: describeCommand,
  grant: grantFor,
  covers: isSameCommand,
  allowedBy: allowForCommand,
  isNeverAllowed: ({ touchesSecret }) => touchesSecret !== null,
  strictMatcher: strictCommandMatcher,
  paths: ({ workspace, reads }) => ({ cwd: workspace, paths: reads }),
  alwaysTargets: alwaysTargetsOf,
  escalates: ({ escalation }) => escalation !== null,
  withoutNeedlessRequest,
  limits: limitsOf,
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

/** Names of programs are never masked, since the user must see what runs. */
function approvedTextOf({ script, argv, parts, seen }: CommandFacts): ApprovedText {
  const programs = [...parts.map(({ program }) => program), ...seen.map(([program]) => program)]
  return {
    text: script ?? argv.join(' '),
    mayMask: (secret) => isInertWord(secret) && !programs.some((program) => program?.includes(secret)),
  }
}
