import { resolve } from 'node:path'
import type { BackgroundProcesses, EnvRules } from '@parley/host'
import type { FreeformInput, JsonSchemaObject } from '@parley/models'
import { type Facts, type FileSurroundings, gatherReadFacts, type ShellParser } from '@parley/policy'
import type { ItemId, OutputWait } from '@parley/protocol'
import type { Redaction } from '@parley/redaction'
import { type Environment, resolveWorkspacePath, whenUnknown } from '@parley/workspace'
import * as z from 'zod'
import type { Clock } from '../../ports/clock-and-ids.ts'
import type { EditorTexts } from '../../ports/editor.ts'
import type { SkillSource } from './skill-source.ts'
import {
  type PreparedCall,
  type StoredImage,
  type Tool,
  type ToolContext,
  type ToolOutcome,
  toldWhy,
  unlessAborted,
  type Workspace,
} from './tool.ts'

interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly readOnly: boolean
  readonly input: Schema
  readonly warmUp?: () => void
  readonly freeform?: FreeformInput
  readonly offeredTo?: Tool['offeredTo']
  readonly prepare: (input: z.infer<Schema>) => PreparedCall | { readonly problem: string }
}

/** Returns a tool that checks its arguments by a schema; the model gets the problem of invalid ones. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, readOnly, input, warmUp, freeform, offeredTo, prepare } = definition
  return {
    name,
    description,
    readOnly,
    ...(warmUp === undefined ? {} : { warmUp }),
    ...(freeform === undefined ? {} : { freeform }),
    ...(offeredTo === undefined ? {} : { offeredTo }),
    parameters: () => parametersOf(input),
    prepare(args) {
      const parsed = input.safeParse(args)
      return parsed.success ? prepare(parsed.data) : { problem: z.prettifyError(parsed.error) }
    },
  }
}

/** Parameters by their schema: each conversation has tools of its own, but all share the schemas. */
const known = new WeakMap<z.ZodType, JsonSchemaObject>()

function parametersOf(input: z.ZodType): JsonSchemaObject {
  const parameters = known.get(input) ?? jsonSchemaOf(input)
  known.set(input, parameters)
  return parameters
}

function jsonSchemaOf(input: z.ZodType): JsonSchemaObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return { ...schema, type: 'object' }
}

/** Ports through which tools use the system. */
export interface ToolPorts {
  /** Environment of commands and files. */
  readonly environment: Environment
  readonly background: BackgroundProcesses
  /** Reports output of a background command in the transcript. */
  readonly tellPrinted: (itemId: ItemId, line: string, wait?: OutputWait) => void
  readonly shellParser: ShellParser
  /** Rules for the variables that commands get. */
  readonly envRules: EnvRules
  readonly redaction: Redaction
  readonly clock: Clock
  readonly skills: SkillSource
  /** Undefined where no client is an editor. */
  readonly editors: EditorTexts | undefined
}

/**
 * Returns the sources of facts about files. Rejects with `EnvironmentUnreachableError` when the environment cannot be
 * reached.
 */
export async function fileSurroundings(environment: Environment, { cwd, roots }: Workspace): Promise<FileSurroundings> {
  await environment.reach()
  const { files, standingOf } = environment
  const { real, changed } = await environment.rootsNow(roots)
  // The first root is the folder of the conversation, unless that is another one now.
  const realCwd = changed.length === 0 ? real[0] : await files.realPath(cwd).catch(whenUnknown(cwd))
  return { cwd: realCwd ?? cwd, roots: real, secrets: await environment.secrets(), standingOf, files }
}

interface LookUp {
  readonly tool: string
  readonly title: string
  readonly input: unknown
  readonly path: string
  /** Default: `read`. */
  readonly kind?: 'search'
  /** First line that is read, from 1; absent for the whole. */
  readonly line?: number | undefined
  /** True when everything below the path is read too. */
  readonly recursive: boolean
  readonly environment: Environment
  /** Reads the path; `real` is the path that was checked, with every link followed. */
  readonly look: (found: { real: string; shownPath: string }, context: ToolContext) => Promise<LookUpOutcome>
}

export type LookUpOutcome =
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: string; readonly text: string; readonly images?: StoredImage[] }

/** Returns a call that only reads one path. */
export function prepareLookUp(lookUp: LookUp): PreparedCall {
  const { tool, title, input, path, kind = 'read', line, recursive, environment, look } = lookUp
  const text = JSON.stringify(input)
  return {
    describe: ({ cwd }) => ({
      type: 'toolCall',
      kind,
      title,
      text: '',
      input: text,
      locations: [{ path: resolve(cwd, path), ...(line === undefined ? {} : { line }) }],
    }),
    facts: async (workspace): Promise<Facts> =>
      gatherReadFacts({ tool, paths: [path], recursive }, await fileSurroundings(environment, workspace)),
    async plan({ cwd, roots }, facts) {
      const real = (facts.kind === 'read' ? facts.paths[0]?.real : undefined) ?? path
      return {
        payload: JSON.stringify({ input, real }),
        async run(context) {
          const now = await resolveWorkspacePath({ path: real, cwd, roots, files: environment.files })
          if (!now.ok) return failedLookUp(now.message)
          if (now.path.real !== real) return failedLookUp(`${path} now leads somewhere else.`)
          const found = await unlessAborted(look({ real, shownPath: path }, context), context.signal)
          return found === null ? interruptedBy(context.signal.reason) : toOutcome(found)
        },
      }
    },
  }
}

function toOutcome(found: LookUpOutcome): ToolOutcome {
  if ('message' in found) return failedLookUp(found.message)
  const images = found.images === undefined ? {} : { images: found.images }
  return { status: 'completed', modelText: found.text, fields: { text: found.text, ...images } }
}

function interruptedBy(reason: unknown): ToolOutcome {
  return { status: 'interrupted', modelText: toldWhy(reason) ?? 'Interrupted by the user.' }
}

export function failedLookUp(message: string): ToolOutcome {
  return { status: 'failed', modelText: message, failure: { code: 'lookUpFailed', message } }
}
