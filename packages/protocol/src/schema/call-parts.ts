import * as z from 'zod'
import { severities } from '../review/severities.ts'
import { approvalId, itemId } from './ids.ts'
import { actor, sessionScope, sideFile } from './input.ts'
import { leftAlone, openForm } from './redaction-marks.ts'
import { sandboxMode } from './settings.ts'

export const ruleRef = z
  .object({ name: z.string(), file: leftAlone(z.string(), 'path').exactOptional(), line: z.int().exactOptional() })
  .describe('The rule that decided: a built-in by name, or a line of a policy file.')

export const runLimits = z
  .object({
    sandbox: z
      .union([sandboxMode, z.literal('none')])
      .describe('Sandbox mode; `none`: only the rights of the user limit the run.'),
    network: z.boolean().describe('True when it can reach the network, servers on its own machine included.'),
  })
  .describe('The limits of one run.')

export const sandboxBlock = z
  .object({
    paths: z.array(z.string()).describe('Absolute paths of files and folders that the limits do not permit.'),
    network: z.boolean().describe('True when the command tried to reach the network without permission.'),
    hidden: z
      .array(z.string())
      .exactOptional()
      .describe('The paths among `paths` where secrets are kept; absent without any.'),
    unmakeable: z
      .array(z.string())
      .exactOptional()
      .describe(
        'The paths among `paths` directly in a writable folder, where a partial sandbox lets nothing be made or removed; absent without any.',
      ),
  })
  .describe('Access that a failed command tried and its sandbox does not permit.')

export const decisionRecord = z
  .object({
    verdict: z.enum(['allow', 'ask', 'deny']).describe('Verdict of the rules; `ask` means that the user was asked.'),
    rule: ruleRef,
    reason: z.string().describe('One sentence.'),
    code: z.string().exactOptional().describe('Stable name of the reason for a denial, for programs.'),
    approvalId: approvalId.exactOptional(),
    answer: z.string().exactOptional().describe("The user's decision, where the user was asked."),
    scope: sessionScope.exactOptional(),
    by: actor.exactOptional().describe('Client that answered.'),
    note: z.string().exactOptional().describe('Note of the user with the answer.'),
    limits: runLimits.exactOptional().describe('Limits that a command ran under, or would have.'),
  })
  .describe('Decision to run a call or not, with its reason.')

export const output = z
  .object({
    head: z.string().describe('Beginning of the output.'),
    tail: z.string().describe('Empty when `head` is everything.'),
    totalBytes: z.int().min(0).describe('Bytes written.'),
    omittedBytes: z.int().min(0).describe('Bytes between head and tail.'),
    totalLines: z
      .int()
      .min(0)
      .exactOptional()
      .describe('Number of lines; left out if head and tail are everything, or if the lines were not counted.'),
    file: sideFile.exactOptional().describe('All bytes, when they do not fit in head.'),
    binary: z.literal(true).exactOptional().describe('The output is not text.'),
  })
  .describe('Output of a command, stdout and stderr in true order, clipped for display.')

/** Facts that only the policy reads. */
export const storedFacts = openForm(z.record(z.string(), z.unknown()), {
  leave: ['contentHash', 'cwd', 'workspace'],
  json: [],
})

export const callKind = z
  .enum(['read', 'edit', 'delete', 'move', 'search', 'execute', 'fetch', 'think', 'other'])
  .describe('Purpose of a call, so that clients can choose an icon or a filter. `think`: it only sets the plan.')

export const callLocation = z
  .object({
    path: z.string().describe('Absolute path.'),
    line: z.int().min(1).exactOptional().describe('Line from 1, where the call names one.'),
  })
  .describe('A file or folder that a call is about.')

export const hint = z
  .object({
    about: z
      .enum(['writtenThrough', 'secondRun', 'sandboxBlock', 'deniedRetry', 'hookChange', 'repetition'])
      .describe(
        'Subject. `writtenThrough`: changed files have further names outside the writable folders. `secondRun`: the command ran a second time, with more rights. `sandboxBlock`: paths and network that the sandbox blocked. `deniedRetry`: the user denied a second run. `hookChange`: a hook changed the call. `repetition`: the same call was made many times in a row.',
      ),
    text: z.string().describe('The sentence, without the line break before it.'),
  })
  .describe('Sentence that parley adds to the result of a call, for the model.')

export const finding = z
  .object({
    severity: z.enum(severities),
    file: z.string().describe('Path as the model wrote it, relative to cwd where possible.'),
    line: z.int().min(1).exactOptional().describe('First line, from 1; left out where no line is to blame.'),
    endLine: z.int().min(1).exactOptional().describe('Last line; left out for one line.'),
    title: z.string().describe('The fault in one line.'),
    why: z.string().describe('Consequence, condition and symptom.'),
    suggestion: z
      .object({ old: z.string(), new: z.string() })
      .exactOptional()
      .describe('Text of the file, and its replacement.'),
  })
  .describe('A fault that a review found.')

export const fileChangeEntry = z
  .object({
    path: z.string().describe('Path as written in the patch, relative to cwd where possible.'),
    kind: z.enum(['add', 'update', 'delete']),
    link: z.literal(true).exactOptional().describe('Present when a link is deleted; its target stays.'),
    movedTo: z.string().exactOptional().describe('Its new path, when it is renamed.'),
    additions: z.int().describe('Added lines.'),
    deletions: z.int().describe('Removed lines.'),
    diff: z.string().describe('Unified diff, for display.'),
    before: leftAlone(z.string(), 'hash').nullable().describe('sha256 of the file before, null when it did not exist.'),
    after: leftAlone(z.string(), 'hash').nullable().describe('sha256 of the file after, null when it is deleted.'),
  })
  .describe('A file of a patch.')

export const pathContent = z
  .object({
    hash: leftAlone(z.string(), 'hash')
      .exactOptional()
      .describe('sha256 of the content, or of where a link leads; left out for one that was not kept.'),
    mode: z.int().exactOptional().describe('Permission bits, where they are known.'),
    link: z.literal(true).exactOptional().describe('Present for a link.'),
  })
  .describe('Content of a file at a moment.')

export const changedPath = z
  .object({
    path: leftAlone(z.string(), 'path').describe('Real path.'),
    before: pathContent.nullable().describe('Null when there was no file.'),
    after: pathContent.nullable().describe('Null when there is no file.'),
  })
  .describe('A file that a call changed.')

export const endedCommand = z
  .object({
    itemId: itemId.describe('Its `commandExecution`.'),
    exitCode: z.int().exactOptional().describe('Left out where a signal ended it, and where its end is unknown.'),
    signal: z.string().exactOptional().describe('The signal that ended it.'),
    timedOut: z.literal(true).exactOptional().describe('It ran into its time limit.'),
    exchanged: z
      .array(z.string())
      .exactOptional()
      .describe('Sentences on paths that run later and that it made or others changed meanwhile.'),
    stopped: z.literal(true).exactOptional().describe('It was stopped: by the user, the model or narrower limits.'),
    durationMs: z.number().exactOptional().describe('Run time in ms.'),
  })
  .describe('End of a command that went on in the background.')

export type RuleRef = z.infer<typeof ruleRef>
export type DecisionRecord = z.infer<typeof decisionRecord>
export type RunLimits = z.infer<typeof runLimits>
export type SandboxBlock = z.infer<typeof sandboxBlock>
export type CallKind = z.infer<typeof callKind>
export type CallLocation = z.infer<typeof callLocation>
export type CallOutput = z.infer<typeof output>
export type PathContent = z.infer<typeof pathContent>
export type ChangedPath = z.infer<typeof changedPath>
export type CallHint = z.infer<typeof hint>
export type EndedCommand = z.infer<typeof endedCommand>
export type FileChangeEntry = z.infer<typeof fileChangeEntry>
export type Finding = z.infer<typeof finding>
