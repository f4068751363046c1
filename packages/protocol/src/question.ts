import { collapseBlanks, confusableWarnings, hiddenWarnings, onOneLine, showHidden } from './deceptive-characters.ts'
import type { ApprovalKind, ApprovalRequest, AskedFile } from './schema/approval.ts'
import type { Enforcement } from './schema/settings.ts'

export {
  chosenMode,
  type PlanAnswer,
  planAnswers,
  planFields,
  planForm,
  planModes,
  planWords,
  readPlanFields,
} from './calls/plan-question.ts'
export {
  collapseBlanks,
  confusableWarnings,
  hiddenParts,
  hiddenWarnings,
  onOneLine,
  type ShownPart,
  showHidden,
} from './deceptive-characters.ts'

/** Words on the asked call itself; its hidden characters are shown by their numbers. */
interface CallWords {
  /** Title of the call on one line; null where the detail or the files repeat it. */
  readonly title: string | null
  /** Lines about the files of a patch, one for each. */
  readonly files: readonly string[]
  /** The whole command, call or form, or the diffs of a patch. */
  readonly detail: string
  readonly warnings: readonly string[]
}

/** Words on the place and limits of the run, one line each. */
interface RunWords {
  readonly folder: string
  /** Environment of the folder; null for the machine of the server. */
  readonly environment: string | null
  /** Empty for questions that run nothing. */
  readonly limits: readonly LimitWords[]
  readonly background: string | null
  readonly variables: string | null
}

/** Words on the reason and the extent of a yes, one line each. */
interface ReasonWords {
  /** Reason for asking, including special facts about the call, such as a program that lies in the workspace. */
  readonly reason: string
  /** Rule that asks, in brackets. */
  readonly rule: string
  readonly again: string | null
  /** Sentence about the extent of a yes for the session, for clients with own labels; null where it is not offered. */
  readonly session: string | null
  /** Reason of the model, quoted; `uncheckedWords` introduce it. */
  readonly justification: string | null
}

/** A question in words, the same for every frontend. Null and empty parts do not apply. */
export interface QuestionWords extends CallWords, RunWords, ReasonWords {
  /** Question of parley, by the kind of approval. */
  readonly asks: string
}

/** Describes everything that a yes would allow, and the reason for asking. */
export function describeQuestion(
  approval: Omit<ApprovalRequest, 'id' | 'itemId' | 'turnId' | 'decisions' | 'answerableBy'>,
  enforcement: Enforcement,
): QuestionWords {
  const { kind, title, detail, files = [], env = {}, environment, justification, forSession } = approval
  const variables = Object.entries(env).map(([name, value]) => onOneLine(`${name}=${value}`))
  const isRepeated = detail.startsWith(title) || (kind === 'patch' && files.length > 0)
  return {
    asks: approval.rule.name === movedAside ? 'Put this back?' : questions[kind],
    title: isRepeated ? null : onOneLine(title),
    files: files.map(fileWords),
    // Read on demand: a screen renders a long detail itself, in every frame.
    get detail() {
      return showHidden(kind === 'patch' ? detail : collapseBlanks(detail)).trimEnd()
    },
    warnings: characterWarnings(approval),
    folder: onOneLine(approval.cwd),
    environment: environment === undefined ? null : onOneLine(environment),
    limits: runsNothing(kind) ? [] : limitWords(approval, enforcement),
    background: approval.background === true ? `It runs ${backgroundWords}.` : null,
    variables: variables.length === 0 ? null : `with ${variables.join(' ')}`,
    reason: onOneLine(approval.reason),
    rule: runsNothing(kind) ? '' : onOneLine(`[${ruleSource(approval.rule)}]`),
    again: approval.attempt === undefined ? null : againWords,
    session: forSession === undefined ? null : `A yes for the session covers ${onOneLine(forSession.covers)}.`,
    justification: justification === undefined ? null : `“${onOneLine(justification)}”`,
  }
}

/** Returns the extent of a permanent yes, which depends on the kind of question. */
export function reachOfAlways(kind: ApprovalKind): string {
  if (kind === 'escalation') return 'everywhere, outside the sandbox with all your rights'
  return kind === 'network' ? 'everywhere, with the network' : 'everywhere, also unsandboxed'
}

/** Rule of parley's own question whether to restore the files that were moved aside for a command. */
export const movedAside = 'builtin:moved-aside'

const questions: Readonly<Record<ApprovalKind, string>> = {
  command: 'Run this command?',
  patch: 'Make this change?',
  escalation: 'Run outside the sandbox?',
  network: 'Run with the network?',
  mcpTool: 'Allow this call?',
  read: 'Read outside the allowed folders?',
  elicitation: 'A tool server asks you:',
  question: 'The model asks you:',
  plan: 'Work by this plan?',
}

/** Tests if a question of this kind is answered by filling in a form. */
export function isForm(kind: ApprovalKind): boolean {
  return kind === 'elicitation' || kind === 'question'
}

/** Tests if a yes to a question of this kind runs nothing, so that no limits and no rule belong to it. */
export function runsNothing(kind: ApprovalKind): boolean {
  return isForm(kind) || kind === 'plan'
}

/** Returns the rule that decided, with the place to change it: `deny deploy, /home/ada/.parley/policy.toml:3`. */
export function ruleSource({ name, file, line }: ApprovalRequest['rule']): string {
  if (file === undefined) return name
  return `${name}, ${file}${line === undefined ? '' : `:${line}`}`
}

type Warned = Pick<ApprovalRequest, 'kind' | 'detail' | 'title' | 'command'>

/** Cached warnings: checking a long text takes as long as a whole frame may. */
const warningsByApproval = new WeakMap<Warned, readonly string[]>()

/** Returns warnings about hidden characters and confusables, as sentences; empty for nearly all approvals. */
function characterWarnings(approval: Warned): readonly string[] {
  const found = warningsByApproval.get(approval) ?? findCharacterWarnings(approval)
  warningsByApproval.set(approval, found)
  return found
}

function findCharacterWarnings({ kind, detail, title, command = [] }: Warned): readonly string[] {
  const hasPrograms = kind === 'command' || kind === 'escalation' || kind === 'network'
  const text = hasPrograms ? detail : `${title}\n${detail}`
  return [
    ...hiddenWarnings([text, ...command].join('\n')),
    ...confusableWarnings(kind === 'patch' ? pathsOfDiff(detail) : text, { hasPrograms }),
  ]
}

/** Returns the file names of a patch, the only part of it that can mislead about the target. */
function pathsOfDiff(detail: string): string {
  return detail
    .split('\n')
    .filter((line) => /^(?:---|\+\+\+) /.test(line))
    .map((line) => line.slice(4))
    .join('\n')
}

/** Indentation of lines that parley did not write: only lines of parley begin at the margin. */
const indent = '    '

interface Spoken {
  /** Command as one would type it; empty for other calls. */
  readonly typed?: string
  /** Name of the agent in the client's words. Default `parley`. */
  readonly agent?: string
  /** Folder that a yes for the session opens for writing. */
  readonly grantRoot?: string | null
}

/**
 * Returns the whole question as one text, for frontends that show only text.
 *
 * Only lines of parley start at the margin; lines of commands, calls and forms are indented, lines of diffs have marks.
 */
export function questionText(
  words: QuestionWords,
  kind: ApprovalKind,
  { typed = '', agent = 'parley', grantRoot = null }: Spoken = {},
): string {
  if (runsNothing(kind)) return [words.reason, ...warningLines(words), calledText(words)].filter(isSaid).join('\n')
  if (kind === 'patch') return patchText(words, agent, grantRoot)
  const where = `\`${words.folder}\`${onEnvironment(words)}`
  const command = showHidden(collapseBlanks(typed)).replaceAll('\n', `\n${indent}`)
  return [
    ...(typed === ''
      ? [`Allow ${agent} to make this call in ${where}?`, calledText(words)]
      : [`Allow ${agent} to run \`${command}\` in ${where}?`]),
    ...warningLines(words),
    ...runLines(words),
    ...reasonLines(words),
  ]
    .filter(isSaid)
    .join('\n')
}

function onEnvironment({ environment }: RunWords): string {
  return environment === null ? '' : ` on ${environment}`
}

function runLines(words: RunWords): readonly (string | null)[] {
  const { background, variables } = words
  return [limitsLine(words), background, variables === null ? null : `It runs ${variables}.`]
}

function reasonLines({ reason, rule, again, session, justification }: ReasonWords): readonly (string | null)[] {
  return [
    reason === '' ? null : `Asked because: ${reason} ${rule}`,
    again,
    session,
    justification === null ? null : `${uncheckedWords}${justification}`,
  ]
}

/** Returns the text about a patch: all files, then every line of its diffs. */
function patchText(words: QuestionWords, agent: string, grantRoot: string | null): string {
  const { reason, rule, title, files, folder, session, detail } = words
  return [
    reason === '' ? null : `${reason} ${rule}`,
    `Allow ${agent} to apply proposed code changes?`,
    ...(title === null ? files : [title, ...files]),
    `Paths are relative to \`${folder}\`${onEnvironment(words)}.`,
    limitsLine(words),
    session,
    grantRoot === null
      ? null
      : `A yes for the session opens \`${onOneLine(grantRoot)}\` for later commands and patches.`,
    ...warningLines(words),
  ]
    .filter(isSaid)
    .concat('', detail)
    .join('\n')
}

function calledText({ title, detail }: CallWords): string {
  const lines = [...(title === null ? [] : [title]), ...detail.split('\n')]
  return lines.map((line) => `${indent}${line}`.trimEnd()).join('\n')
}

function warningLines({ warnings }: CallWords): readonly string[] {
  return warnings.map((warning) => `! ${warning}`)
}

function limitsLine({ limits }: RunWords): string {
  return `Limits: ${limits.map(({ text }) => text).join(' · ')}`
}

function isSaid(line: string | null): line is string {
  return line !== null && line !== ''
}

export type ListedFile = Omit<AskedFile, 'before' | 'after'>

const verbs = { add: 'add', update: 'change', delete: 'delete' } as const

/** Describes a file of a patch in one line: kind of change, path, counts of lines, deleted bytes, and remarks. */
export function fileWords({ kind, additions, deletions, deletedBytes, notes = [], ...at }: ListedFile): string {
  const path = placeWords(at.path, at.real)
  const target = at.movedTo === undefined ? '' : ` → ${placeWords(at.movedTo, at.realMovedTo)}`
  const size = deletedBytes === undefined ? '' : `, ${deletedBytes} bytes`
  const remarks = notes.map((note) => ` · ${onOneLine(note)}`).join('')
  return `${target === '' ? verbs[kind] : 'move'} ${path}${target} (+${additions} −${deletions}${size})${remarks}`
}

function placeWords(path: string, real: string | undefined): string {
  return real === undefined ? onOneLine(path) : `${onOneLine(path)} (leads to ${onOneLine(real)})`
}

export interface LimitWords {
  readonly text: string
  /** True when the call gets more rights than a command has by default. */
  readonly isMore: boolean
}

/** Limit of a patch, which runs nothing and therefore has no sandbox. */
export const patchLimitWords = 'these files only'

/** Limit of a look-up outside the folders, which runs nothing and changes nothing. */
export const readLimitWords = 'only reads'

/** Describes the limits of a call: sandbox and known network of a command, files of a patch, no change by a look-up. */
function limitWords(
  { kind, sandbox, network }: Pick<ApprovalRequest, 'kind' | 'sandbox' | 'network'>,
  enforcement: Enforcement,
): readonly LimitWords[] {
  const isOutside = sandbox === 'none'
  if (kind === 'read') return [{ text: readLimitWords, isMore: false }]
  if (kind === 'patch')
    return [{ text: `${patchLimitWords}${isOutside ? ', without a sandbox' : ''}`, isMore: isOutside }]
  if (isOutside) {
    const all = network === undefined ? '' : ': it may do all that its account may, network included'
    return [{ text: `not sandboxed${all}`, isMore: true }]
  }
  const enforced = { text: `sandbox ${sandbox}${enforcement === 'partial' ? ', in part' : ''}`, isMore: false }
  if (network === undefined) return [enforced]
  return [enforced, network ? { text: 'with network', isMore: true } : { text: 'no network', isMore: false }]
}

/** Text for a command that goes on after its call has answered. */
export const backgroundWords = 'in the background, without a time limit'

const againWords = 'It ran in the sandbox already, and failed for what the sandbox blocked. A yes runs it once more.'

export const uncheckedWords = 'the model says, unchecked: '
