import { createInterface } from 'node:readline/promises'

/** Asks a question on the terminal, on stderr. Resolves to true only for `y` and `yes`. */
export async function isAgreed(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await reader.question(`${question} [y/N] `)).trim())
  } finally {
    reader.close()
  }
}
