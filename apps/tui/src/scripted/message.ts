import { readFileSync } from 'node:fs'
import type { InputItem, OutputSchema } from '@parley/protocol'
import type { ExecFlags } from '../cli/flags.ts'
import { misused, type ParleyError } from '../cli/parley-error.ts'
import { fromWorkingFolder } from '../cli/working-folder.ts'

/** What is sent to start the turn. */
export interface Message {
  readonly input: InputItem[]
  readonly outputSchema?: OutputSchema
}

/** The prompt, the images and the schema that the flags name. Paths are meant from where the command was typed. */
export function messageOf(prompt: string, { image = [], outputSchema }: ExecFlags): Message {
  const images = image.map((path) => ({ type: 'image' as const, path: fromWorkingFolder(path) }))
  const input = [{ type: 'text' as const, text: prompt }, ...images]
  return outputSchema === undefined ? { input } : { input, outputSchema: readSchema(outputSchema) }
}

/** Whether it is a JSON Schema is for the server to say. */
function readSchema(path: string): OutputSchema {
  const value = parse(path, read(path))
  if (isTable(value)) return value
  throw unusable(path, 'a JSON Schema of an answer is an object')
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error))
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw unusable(path, error instanceof Error ? error.message : String(error))
  }
}

function isTable(value: unknown): value is OutputSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unusable(path: string, problem: string): ParleyError {
  return misused(`The output schema ${path} cannot be used: ${problem}.`)
}
