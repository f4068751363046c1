import type { ReadStream } from 'node:tty'

export type PromptOutcome = { readonly prompt: string } | { readonly problem: string }

interface PromptRequest {
  readonly argument: string | null
  /** `--stdin`: with an argument, stdin is read only then. */
  readonly appendStdin: boolean
  /** Called for only when stdin is to be read: touching it is enough to be stopped as a background job. */
  readonly stdin: () => Pick<ReadStream, 'isTTY'> & AsyncIterable<Buffer | string>
}

const noPrompt = 'No prompt. Give one as an argument, or pipe it in: echo "…" | parley exec'

/**
 * The prompt of a scripted run. An argument is the prompt and stdin is not touched, so an open, silent stdin never
 * blocks; `-` or no argument reads stdin, unless that is a terminal.
 */
export async function readPrompt({ argument, appendStdin, stdin }: PromptRequest): Promise<PromptOutcome> {
  const words = argument === null || argument === '-' ? null : argument
  if (words !== null && !appendStdin) return nonEmpty(words)
  const source = stdin()
  if (source.isTTY) return { problem: words === null ? noPrompt : '--stdin needs something piped in.' }
  const piped = decode(await readAll(source))
  if (piped === null) return { problem: 'What was piped in is not UTF-8 text.' }
  if (words === null) return nonEmpty(piped)
  return nonEmpty(piped.trim() === '' ? words : `${words}\n\n<stdin>\n${piped.trimEnd()}\n</stdin>`)
}

function nonEmpty(text: string): PromptOutcome {
  return text.trim() === '' ? { problem: 'The prompt is empty.' } : { prompt: text }
}

async function readAll(stdin: AsyncIterable<Buffer | string>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}

/** Without a byte order mark. Null for what is no text: a model would only see noise. */
function decode(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
