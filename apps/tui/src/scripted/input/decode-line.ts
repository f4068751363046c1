import { type InputLine, inputLine } from '@parley/protocol/schema'
import { parseJson } from '@parley/text'
import { decodeText } from './message.ts'

/** A decoded line of stdin, or the reason why it cannot be used. */
export type DecodedLine = { readonly input: InputLine } | { readonly problem: string }

/** Decodes one line of stdin; null for an empty one. */
export function decodeLine(bytes: Buffer): DecodedLine | null {
  const text = decodeText(bytes)
  if (text === null) return { problem: 'It is not UTF-8 text.' }
  if (text.trim() === '') return null
  const value = parseJson(text)
  if (value === undefined) return { problem: 'It is not JSON.' }
  const read = inputLine.safeParse(value)
  if (read.success) return { input: read.data }
  const issue = read.error.issues[0]
  const place = issue?.path.join('.') ?? ''
  const message = issue?.message ?? 'not valid'
  return { problem: place === '' ? `${message}.` : `${place}: ${message}.` }
}
