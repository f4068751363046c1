/** Variables of the machine that would change what a program under test does or reaches. */
const leaks =
  /^(CI|NO_COLOR|FORCE_COLOR|COLORTERM|TMUX.*|NODE_OPTIONS|NODE_ENV|VITEST.*|.*_API_KEY|.*_PROXY|.*_proxy|PARLEY_.*|CODEX_.*|XDG_.*)$/

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of this process without those, and with `overlay` on top (`undefined` removes a variable). */
export function cleanEnvironment(overlay: Environment = {}): Record<string, string> {
  const clean: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined && !leaks.test(name)) clean[name] = value
  }
  for (const [name, value] of Object.entries(overlay)) {
    if (value === undefined) delete clean[name]
    else clean[name] = value
  }
  return clean
}
