import type { BackgroundProcesses, EnvironmentRules } from '@parley/host'
import type { JsonSchemaObject } from '@parley/models'
import type { FileSurroundings, ShellParser } from '@parley/policy'
import type { Redaction } from '@parley/redaction'
import { type Place, whenUnknown } from '@parley/workspace'
import * as z from 'zod'
import type { Clock } from '../ports/clock.ts'
import type { PreparedCall, Tool, Workspace } from './tool.ts'

interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly readOnly: boolean
  readonly input: Schema
  readonly warmUp?: () => void
  readonly prepare: (input: z.infer<Schema>) => PreparedCall | { readonly problem: string }
}

/** A tool from its input schema: arguments are checked once, and the model is told what was wrong with them. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, readOnly, input, warmUp: expect, prepare } = definition
  let parameters: JsonSchemaObject | null = null
  return {
    name,
    description,
    readOnly,
    ...(expect === undefined ? {} : { warmUp: expect }),
    get parameters() {
      parameters ??= jsonSchemaOf(input)
      return parameters
    },
    prepare(args) {
      const parsed = input.safeParse(args)
      return parsed.success ? prepare(parsed.data) : { problem: z.prettifyError(parsed.error) }
    },
  }
}

function jsonSchemaOf(input: z.ZodType): JsonSchemaObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return { ...schema, type: 'object' }
}

/** What tools reach the system through. */
export interface ToolPorts {
  /** Where commands run and files lie. */
  readonly place: Place
  readonly background: BackgroundProcesses
  readonly shellParser: ShellParser
  /** What of the place's own environment commands get. */
  readonly environmentRules: EnvironmentRules
  readonly redaction: Redaction
  readonly clock: Clock
}

/** Rejects with `PlaceUnreachable` where the place cannot be asked: facts are never made up for it. */
export async function fileSurroundings(place: Place, { cwd, roots }: Workspace): Promise<FileSurroundings> {
  await place.reach()
  const { files } = place
  const realRoots = await Promise.all(roots.map((root) => files.realPath(root).catch(whenUnknown(root))))
  return { cwd: realRoots[0] ?? cwd, roots: realRoots, secrets: await place.secrets(), guardOf: place.guardOf, files }
}
