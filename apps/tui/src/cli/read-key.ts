import { StringDecoder } from 'node:string_decoder'
import { exitCodes, misused, ParleyError } from './exit-codes.ts'
import { hideInReports } from './hide-secrets.ts'

interface Terminal {
  readonly stdin: NodeJS.ReadStream
  /** Stream for the question; stdout may be a pipe. */
  readonly stderr: NodeJS.WriteStream
}

/** Longest key in characters. */
const maxChars = 65_536

/**
 * Reads a key: typed unseen on a terminal, else all of stdin without its last line break. Throws a usage error for more
 * than one line, and an error with exit code 130 for Ctrl+C.
 */
export async function readKey(question: string, { stdin, stderr }: Terminal): Promise<string> {
  const key = stdin.isTTY ? await typedUnseen(question, { stdin, stderr }) : await wholeInput(stdin)
  hideInReports(key)
  if (key.trim() === '') throw misused('No key was given. Type it when asked, or pass it on stdin: parley login <file')
  if (/[\r\n]/.test(key)) throw misused('A key has one line, and this has more. Nothing was sent or kept.')
  return key
}

async function wholeInput(stdin: NodeJS.ReadStream): Promise<string> {
  let text = ''
  for await (const chunk of stdin.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > maxChars) throw misused('This is too long for a key. Nothing was sent or kept.')
  }
  return text.replace(/\r?\n$/, '')
}

/** The text typed so far, and whether Enter was pressed. */
export interface Typed {
  readonly text: string
  readonly isDone: boolean
  /** Text after Enter in the same piece of input: a paste of several lines. */
  readonly rest: string
}

/** Returns a key with further input: Backspace and Ctrl+U delete, Enter and Ctrl+D end. Throws for Ctrl+C. */
export function typeInto(text: string, input: string): Typed {
  const letters = [...input.replaceAll('\x1b[200~', '').replaceAll('\x1b[201~', '')]
  let typed = text
  for (const [at, letter] of letters.entries()) {
    if (letter === '\x03') throw new ParleyError('interrupted', exitCodes.sigint, 'Nothing was sent or kept.')
    if (letter === '\r' || letter === '\n' || letter === '\x04')
      return {
        text: typed,
        isDone: true,
        rest: letters
          .slice(at + 1)
          .join('')
          .replace(/^\n/, ''),
      }
    if (letter === '\x7f' || letter === '\b') typed = typed.slice(0, -1)
    else if (letter === '\x15') typed = ''
    else typed += letter
  }
  return { text: typed, isDone: false, rest: '' }
}

async function typedUnseen(question: string, { stdin, stderr }: Terminal): Promise<string> {
  const decoder = new StringDecoder('utf8')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let typed: Typed = { text: '', isDone: false, rest: '' }
  const take = (chunk: Buffer) => {
    try {
      typed = typeInto(typed.text, decoder.write(chunk))
      if (typed.text.length > maxChars) throw misused('This is too long for a key. Nothing was sent or kept.')
      if (typed.isDone) resolve(typed.rest === '' ? typed.text : `${typed.text}\n${typed.rest}`)
    } catch (error) {
      reject(error)
    }
  }
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.on('data', take)
  stdin.once('end', () => resolve(typed.text))
  try {
    return await promise
  } finally {
    stdin.off('data', take)
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}
