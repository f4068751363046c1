import type { ReadStream } from 'node:tty'

export type PromptOutcome = { readonly prompt: string } | { readonly problem: string }

interface PromptRequest {
  readonly argument: string | null
  /** `--stdin`: with an argument, stdin is read only then. */
  readonly appendStdin: boolean
  readonly stdin: Pick<ReadStream, 'isTTY'> & AsyncIterable<Buffer | string>
}

/**
 * The prompt of a scripted run. An argument is the prompt and stdin is not touched, so an open, silent stdin never
 * blocks; `-` or no argument reads stdin, unless that is a terminal.
 */
export async function readPrompt({ argument, appendStdin, stdin }: PromptRequest): Promise<PromptOutcome> {
  if (argument !== null && argument !== '-' && !appendStdin) return nonEmpty(argument)
  if (stdin.isTTY) {
    return { problem: 'No prompt. Give one as an argument, or pipe it in: echo "…" | parley exec' }
  }
  const piped = await readAll(stdin)
  return nonEmpty(argument === null || argument === '-' ? piped : `${argument}\n\n${piped}`)
}

function nonEmpty(text: string): PromptOutcome {
  return text.trim() === '' ? { problem: 'The prompt is empty.' } : { prompt: text }
}

async function readAll(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks).toString()
}
