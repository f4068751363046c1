import type { JsonSchemaObject } from '@parley/models'
import * as z from 'zod'
import type { PreparedCall, Tool } from './tool.ts'

interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly readOnly: boolean
  readonly input: Schema
  readonly expect?: () => void
  readonly prepare: (input: z.infer<Schema>) => PreparedCall | { readonly problem: string }
}

/** A tool from its input schema: arguments are checked once, and the model is told what was wrong with them. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, readOnly, input, expect, prepare } = definition
  let parameters: JsonSchemaObject | null = null
  return {
    name,
    description,
    readOnly,
    ...(expect === undefined ? {} : { expect }),
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
