import { existsSync } from 'node:fs'
import {
  type ApprovalPolicy,
  type ModeName,
  modeNamed,
  type Overrides,
  pairOf,
  type SandboxMode,
} from '@parley/protocol'
import { joinShellWords, withoutUndefined } from '@parley/text'
import { InvalidArgumentError } from 'commander'
import { misused, type ParleyError } from './exit-codes.ts'
import { fromWorkingFolder, workingFolder } from './folders.ts'

/** Choices of `--color`; `auto` goes by the terminal and its variables. */
export const colourChoices = ['auto', 'always', 'never'] as const

export type ColourChoice = (typeof colourChoices)[number]

/** Flags that name running servers, as Commander returns them. */
export interface ServerFlags {
  /** Addresses, with commas between. */
  readonly server?: string
  readonly tokenFile?: string
  readonly caFile?: string
  readonly allowUnencrypted?: boolean
}

/** Flags of Codex for features with another name here, as Commander returns them. */
interface CodexFlags {
  readonly dangerouslyBypassApprovalsAndSandbox?: boolean
  readonly fullAuto?: boolean
  readonly oss?: boolean
  readonly localProvider?: string
}

/** Flags of every command with a conversation, as Commander returns them. */
export interface CommonFlags extends ServerFlags, CodexFlags {
  readonly model?: string
  readonly effort?: string
  /** Stands for the next two flags. */
  readonly mode?: ModeName
  readonly sandbox?: SandboxMode
  readonly askForApproval?: ApprovalPolicy
  readonly cd?: string
  readonly addDir?: string[]
  readonly environment?: string
  readonly profile?: string
  readonly config?: Record<string, string>
  readonly ephemeral?: boolean
  readonly safe?: boolean
  /** Plain lines instead of a window. */
  readonly plain?: boolean
  readonly color?: ColourChoice
}

/** Images of a first prompt. */
export interface ImageFlag {
  readonly image?: string[]
}

export interface ExecFlags extends CommonFlags, ImageFlag {
  readonly json?: boolean
  readonly experimentalJson?: boolean
  readonly outputFormat?: OutputFormat
  readonly inputFormat?: (typeof inputFormats)[number]
  readonly outputSchema?: string
  /** Name of the sender, for callers of Codex. */
  readonly threadSource?: string
  readonly cyberAccessProgram?: string
  /** Features of Codex that a caller enables. They have no effect here. */
  readonly enable?: string[]
  readonly disable?: string[]
  readonly output?: string
  readonly policy?: string
  /** File with answers to questions of the model. */
  readonly answers?: string
  readonly stdin?: boolean
  /** Milliseconds. */
  readonly timeout?: number
  /** Most model calls of the run. */
  readonly maxTurns?: number
  readonly maxTokens?: number
  /** US dollars. */
  readonly maxCost?: number
  readonly record?: string
  /** Commands that decide whether the work is done. */
  readonly check?: string[]
  /** Number of times that the model may repair failures of the checks. */
  readonly checkRounds?: number
  /** Removes content that the provider refuses and names, and goes on. */
  readonly repair?: boolean
  /** With a review: its findings as SARIF on stdout. */
  readonly sarif?: boolean
}

/** Returns flags as they are typed, each with a blank before it, for a command that a user is told to type. */
export function typedFlags(flags: Readonly<Record<string, string | number | readonly string[] | undefined>>): string {
  return Object.entries(flags)
    .flatMap(([flag, given = []]) => (Array.isArray(given) ? given : [given]).map((value) => [flag, String(value)]))
    .map((words) => ` ${joinShellWords(words)}`)
    .join('')
}

/** Returns the flags that send a command to the same servers, as they are typed. */
export function typedServer({ server, tokenFile, caFile, allowUnencrypted }: ServerFlags): string {
  const typed = typedFlags({ '--server': server, '--token-file': tokenFile, '--ca-file': caFile })
  return allowUnencrypted === true ? `${typed} --allow-unencrypted` : typed
}

/**
 * Returns the settings that the flags change. Paths are relative to the folder where the command was typed, whatever
 * `--cd` says.
 */
export function overridesOf(flags: CommonFlags & { readonly policy?: string }, here = workingFolder): Overrides {
  const absolute = (path: string) => fromWorkingFolder(path, here)
  const { model, effort, cd, addDir, environment, profile, config, policy, oss, localProvider } = flags
  const modelProvider = localProvider ?? (oss === true ? 'ollama' : undefined)
  return {
    ...withoutUndefined({ model, effort, modelProvider, environment, profile, config }),
    ...limitsOf(flags),
    // A path on an environment's machine is sent as typed, because only that machine can resolve it.
    ...(cd === undefined ? {} : { cwd: absolute(cd), environmentCwd: cd }),
    ...(addDir === undefined ? {} : { addDirs: addDir.map(absolute) }),
    ...(policy === undefined ? {} : { policyFile: absolute(policy) }),
  }
}

/** Returns sandbox and policy as the flags name them. Throws a usage error where two flags name the same. */
function limitsOf(flags: CommonFlags): Pick<Overrides, 'sandbox' | 'approvalPolicy'> {
  const { mode: name, sandbox, askForApproval } = flags
  const mode = name === undefined ? undefined : modeNamed(name)
  if (mode !== undefined && (sandbox ?? askForApproval) !== undefined)
    throw misused('--mode stands for --sandbox and --ask-for-approval: give it, or them.')
  if (flags.fullAuto === true && flags.dangerouslyBypassApprovalsAndSandbox === true)
    throw misused(
      '--full-auto and --dangerously-bypass-approvals-and-sandbox (--yolo) contradict each other: give one.',
    )
  const pair = pairOfCodex(flags)
  if (pair !== undefined && (sandbox ?? askForApproval ?? mode) !== undefined)
    throw misused(
      '--dangerously-bypass-approvals-and-sandbox and --full-auto stand for --sandbox and --ask-for-approval: give one of them, or those.',
    )
  return {
    ...(mode === undefined ? pair : pairOf(mode)),
    ...withoutUndefined({ sandbox, approvalPolicy: askForApproval }),
  }
}

/** Returns the limits that a flag of Codex stands for; undefined without one. */
function pairOfCodex(flags: CommonFlags): Pick<Overrides, 'sandbox' | 'approvalPolicy'> | undefined {
  if (flags.dangerouslyBypassApprovalsAndSandbox === true)
    return { sandbox: 'danger-full-access', approvalPolicy: 'never' }
  return flags.fullAuto === true ? { sandbox: 'workspace-write', approvalPolicy: 'on-request' } : undefined
}

/** Returns true for the path of a missing policy file. A named server reads the files of its own machine, so its path is not checked. */
export function isMissingHere(policyFile: string | undefined, { server }: Pick<ExecFlags, 'server'>): boolean {
  return policyFile !== undefined && server === undefined && !existsSync(policyFile)
}

/** Collects `key=value` of repeated flags. */
export function collectConfig(text: string, known: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at <= 0) throw new InvalidArgumentError('It must be key=value, e.g. -c model=gpt-5.')
  return { ...known, [text.slice(0, at).trim()]: text.slice(at + 1).trim() }
}

/** Collects files of repeated flags, several with commas between; an existing file may have a comma in its name. */
export function collectFiles(text: string, known: string[] = []): string[] {
  const names = existsSync(text) ? [text] : text.split(',').filter((name) => name.trim() !== '')
  if (names.length === 0) throw new InvalidArgumentError('It must not be empty.')
  return [...known, ...names]
}

export function collectList(text: string, known: string[] = []): string[] {
  return [...known, named(text)]
}

/** Returns a name. Throws if it is empty. */
export function named(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** Longest delay of a timer. */
const longestMs = 2 ** 31 - 1

/** Parses `90`, `90s`, `5m` or `1h` to milliseconds. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(s|m|h)?$/.exec(text)
  const unitMs = { s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? 's']
  const durationMs = Number(match?.[1]) * (unitMs ?? Number.NaN)
  if (!(durationMs > 0)) throw new InvalidArgumentError('It must be a time like 90, 90s, 5m or 1h.')
  return Math.min(durationMs, longestMs)
}

/** Parses `2.50` or `$2.50` to US dollars. */
export function parseDollars(text: string): number {
  const dollars = /^\$?(\d+(?:\.\d+)?)$/.exec(text)?.[1]
  if (Number(dollars) > 0) return Number(dollars)
  throw new InvalidArgumentError('It must be dollars like 5 or 0.50.')
}

/** Returns a parser for whole numbers from `least` on. */
export function parseCount(least: number): (text: string) => number {
  return (text) => {
    const count = Number(text)
    if (/^\d+$/.test(text) && count >= least && Number.isSafeInteger(count)) return count
    throw new InvalidArgumentError(`It must be a whole number from ${least} on.`)
  }
}

export const inputFormats = ['text', 'jsonl'] as const

export const outputFormats = ['text', 'json', 'result', 'codex'] as const

type OutputFormat = (typeof outputFormats)[number]

interface FormatFlags {
  readonly json?: boolean
  readonly experimentalJson?: boolean
  readonly outputFormat?: OutputFormat
}

/** Returns the format of stdout. Throws a usage error if the three flags contradict each other. */
export function outputFormatOf({ json, experimentalJson, outputFormat }: FormatFlags): OutputFormat {
  const wanted = new Set<OutputFormat>([
    ...(json === true ? ['json' as const] : []),
    ...(experimentalJson === true ? ['codex' as const] : []),
    ...(outputFormat === undefined ? [] : [outputFormat]),
  ])
  if (wanted.size > 1) throw contradiction(wanted)
  const [format = 'text'] = wanted
  return format
}

function contradiction(wanted: ReadonlySet<OutputFormat>): ParleyError {
  const message = `Stdout can have one format, not ${[...wanted].join(' and ')}: --json is json, --experimental-json is codex.`
  return misused(message)
}

/** Returns true for a run with a caller that answers approvals: it sends lines, and reads the events that ask. */
export function takesAnswers({ inputFormat, ...flags }: FormatFlags & Pick<ExecFlags, 'inputFormat'>): boolean {
  return inputFormat === 'jsonl' && outputFormatOf(flags) === 'json'
}
