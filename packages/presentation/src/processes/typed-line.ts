import type { ParamsOf } from '@parley/protocol'

/** Line that is typed for a process, until Enter or another key sends it. */
export interface TypedLine {
  readonly text: string
  /** True to show dots, and to have the text stored nowhere. */
  readonly isHidden: boolean
  /** True for an empty line after a hidden one, which stays hidden until the process has answered. */
  readonly isAfterHidden: boolean
}

export type ProcessInputKind = 'terminal' | 'pipe'

export type SentText = Pick<ParamsOf<'conversation/process/write'>, 'text' | 'enter' | 'hidden' | 'close'>

export const emptyLine: TypedLine = { text: '', isHidden: false, isAfterHidden: false }

const secretPrompt = /(?:password|passphrase|passcode|secret|token|\bpin\b|api.?key)[^:?]*[:?]\s*$/i

/** Returns an empty line, which is hidden where the newest line of the output asks for a secret. */
export function newTypedLine(newestLine: string): TypedLine {
  return { ...emptyLine, isHidden: secretPrompt.test(newestLine) }
}

/** Returns a line after more output: hidden once that asks for a secret, and shown again after the answer to a hidden one. */
export function lineAfterOutput(line: TypedLine, newestLine: string): TypedLine {
  if (line.text !== '' || (line.isHidden && !line.isAfterHidden)) return line
  return newTypedLine(newestLine)
}
