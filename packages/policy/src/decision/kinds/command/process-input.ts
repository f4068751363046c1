import * as z from 'zod'
import { allHaveNetwork, ask, askedCells, askedRow, deny, type MatrixRow, rowOf } from '../../rules/matrix.ts'
import type { DescribedFact, FactsKind } from '../kind.ts'
import { type CommandFacts, commandFactsSchema } from './facts.ts'
import { strictCommandMatcher } from './match.ts'
import { commandRows, otherCommandCells } from './rows.ts'

/** Facts about a text that is written to a running process of the conversation. */
export interface ProcessInputFacts {
  readonly kind: 'processInput'
  readonly tool: string
  readonly processId: string
  /** Command that the process was started with. */
  readonly command: CommandFacts
  /** Text as a shell would read it. May only make a decision stricter. */
  readonly written: CommandFacts
  /** Sandbox that the process was started in. */
  readonly sandbox: 'none' | 'read-only' | 'workspace-write'
  /** Present when the process has the network: `usual` where all commands have it. */
  readonly network?: 'own' | 'usual'
}

const beyond = 'the process has more rights than a command that is started now'
const outside = 'the process runs outside the sandbox'
const unsandboxed = ask('process-unsandboxed', outside, { pastSandbox: true })
const unsandboxedNever = deny(
  'process-unsandboxed-never',
  'policyNever',
  `${outside}, and the approval policy is never`,
)
const wider = ask('process-wider', beyond)
const widerNever = deny('process-wider-never', 'policyNever', `${beyond}, and the approval policy is never`)

/** Rows of processes: `processLike` for a process with no more rights than a command that is started now. */
export const processInputRows = {
  processLike: rowOf({ ...otherCommandCells, readOnly: askedCells(wider, widerNever) }),
  processWider: askedRow(wider, widerNever),
  processUnsandboxed: askedRow(unsandboxed, unsandboxedNever),
}

export const processInputKind: FactsKind<ProcessInputFacts> = {
  schema: () =>
    z.object({
      kind: z.literal('processInput'),
      tool: z.string(),
      processId: z.string(),
      command: commandFactsSchema(),
      written: commandFactsSchema(),
      sandbox: z.enum(['none', 'read-only', 'workspace-write']),
      network: z.enum(['own', 'usual']).exactOptional(),
    }),
  row: rowOfInput,
  particulars: ({ command, written }) =>
    [lineOf(command), written.dangerous].filter((text) => text !== null).join('; '),
  describe: describeInput,
  exactly: (facts) => (isAskedEachTime(facts) ? null : 'exactly this text'),
  alike(facts) {
    if (isAskedEachTime(facts)) return null
    const { processId, command, sandbox, network } = facts
    return { words: 'any text to this process', marks: [JSON.stringify([processId, command.argv, sandbox, network])] }
  },
  isNeverAllowed: ({ written }) => written.touchesSecret !== null,
  strictMatcher({ command, written }) {
    const matchers = [command, written].map(strictCommandMatcher)
    return (target) => matchers.some((matches) => matches(target))
  },
  escalates: ({ sandbox }) => sandbox === 'none',
  withoutNeedlessRequest(facts, policy) {
    const isUsual = allHaveNetwork(policy) || policy.sandboxMode === 'danger-full-access'
    return facts.network === undefined || !isUsual ? facts : { ...facts, network: 'usual' }
  },
  // The process was started before the call, under limits that nothing changes.
  limits: ({ sandbox, network }) => ({ sandbox, network: network !== undefined }),
  approvalKind: () => 'mcpTool',
  askedLimits: (_facts, { network }) => ({ network }),
  hasOwnLimits: true,
}

function rowOfInput(facts: ProcessInputFacts): MatrixRow {
  if (facts.written.dangerous !== null) return commandRows.dangerous
  if (facts.sandbox === 'none') return processInputRows.processUnsandboxed
  if (isWider(facts)) return processInputRows.processWider
  return facts.sandbox === 'read-only' ? commandRows.otherCommand : processInputRows.processLike
}

/** Tests if a process has rights that no mode with limits gives to each command. */
function isWider({ sandbox, network }: ProcessInputFacts): boolean {
  return sandbox === 'none' || network === 'own'
}

function isAskedEachTime(facts: ProcessInputFacts): boolean {
  return facts.written.dangerous !== null || isWider(facts)
}

function lineOf({ script, argv }: CommandFacts): string {
  return script ?? argv.join(' ')
}

function describeInput({ processId, command, written, sandbox, network }: ProcessInputFacts): readonly DescribedFact[] {
  const limits = sandbox === 'none' ? 'outside the sandbox' : `in the sandbox, ${sandbox}`
  return [
    { about: 'process', text: `${processId}: ${lineOf(command)}` },
    { about: 'limits', text: `${limits}${network !== undefined ? ', with the network' : ''}` },
    ...(written.dangerous === null ? [] : [{ about: 'danger', text: written.dangerous }]),
  ]
}
