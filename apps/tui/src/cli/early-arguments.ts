/**
 * How much our own server may allow, as its flags: what the user's command line asks for, and nothing more. Read from
 * the words alone, because the server is started before they are parsed; a word that is no flag can only be the user's.
 */
export function ceilingFlags(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  const config = valuesOf(words, '-c', '--config').map(configValue)
  const named = (key: string) => config.flatMap((one) => (one?.key === key ? [one.value] : []))
  const sandboxes = [...valuesOf(words, '-s', '--sandbox'), ...named('sandbox_mode')]
  const policies = [...valuesOf(words, '-a', '--ask-for-approval'), ...named('approval_policy')]
  const profile = [...named('profile'), ...valuesOf(words, '-p', '--profile')].at(-1)
  return [
    ...(sandboxes.includes('danger-full-access') ? ['--max-sandbox', 'danger-full-access'] : []),
    ...(policies.includes('never') ? ['--allow-never'] : []),
    ...(profile === undefined ? [] : [`--profile=${profile}`]),
  ]
}

/** `-s VALUE`, `-sVALUE`, `--sandbox VALUE`, `--sandbox=VALUE`. */
function valuesOf(words: readonly string[], short: string, long: string): string[] {
  return words.flatMap((word, at) => {
    if (word === short || word === long) return words.slice(at + 1, at + 2)
    if (word.startsWith(`${long}=`)) return [word.slice(long.length + 1)]
    return word.startsWith(short) && !word.startsWith('--') ? [word.slice(short.length)] : []
  })
}

/** A TOML string, or plain text. */
function configValue(text: string): { key: string; value: string } | null {
  const [, key, double, single, plain] = /^\s*([\w.]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*$/s.exec(text) ?? []
  return key === undefined ? null : { key, value: double ?? single ?? plain ?? '' }
}

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
