import { clipForModel, firstBytes } from '@parley/text'
import { keepOutput } from '../keep-output.ts'
import type { ToolContext, ToolOutcome } from '../tool.ts'

/** Of a failure as people see it; the model gets more. */
const shownFailureBytes = 500

/** What a server gave back: the model gets it clipped, the item both ends, a side file the whole. */
export async function gaveBack(
  text: string,
  isError: boolean,
  { itemId, sideFiles }: Pick<ToolContext, 'itemId' | 'sideFiles'>,
): Promise<ToolOutcome> {
  const bytes = Buffer.from(text)
  const end = { head: bytes, tail: Buffer.alloc(0), totalBytes: bytes.length, omittedBytes: 0 }
  const output = await keepOutput(end, sideFiles)
  const whole = { head: text, tail: '', totalBytes: bytes.length, omittedBytes: 0 }
  const modelText = clipForModel(whole, `read_file "output:${itemId}" shows the rest`)
  if (!isError)
    return { status: 'completed', modelText: modelText === '' ? '(nothing)' : modelText, fields: { output } }
  const message = text.trim() === '' ? 'It failed and did not say why.' : firstBytes(text, shownFailureBytes)
  return {
    status: 'failed',
    modelText: `Error: ${modelText}`,
    fields: { output },
    failure: { code: 'mcpToolError', message },
  }
}

export type McpFailureCode = 'mcpServerUnavailable' | 'mcpServerGone' | 'mcpCallFailed' | 'timedOut'

export function callFailed(code: McpFailureCode, message: string): ToolOutcome {
  return { status: 'failed', modelText: message, failure: { code, message } }
}
