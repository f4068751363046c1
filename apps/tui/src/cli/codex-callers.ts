/** Whether stdout is read by a program that expects the lines of the Codex SDK. Asked before flags are parsed, which may fail. */
export function wantsCodexLines(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  if (!words.includes('exec')) return false
  const named = words.some((word, at) => word === '--output-format' && words[at + 1] === 'codex')
  return named || words.includes('--experimental-json') || words.includes('--output-format=codex')
}

/** The last lines of a run that came to no turn. */
export function failedLines(message: string): string {
  const events = [
    { type: 'error', message },
    { type: 'turn.failed', error: { message } },
  ]
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}

type Environment = Readonly<Record<string, string | undefined>>

/** The SDK hands the key that its caller chose over in a variable of its own; it outranks what else is set. */
export function withCallersKey(argv: readonly string[], env: Environment): Environment {
  const key = env['CODEX_API_KEY']
  return key === undefined || key === '' || !wantsCodexLines(argv) ? env : { ...env, OPENAI_API_KEY: key }
}
