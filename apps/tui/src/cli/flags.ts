import type { Overrides } from '@parley/protocol'

/** Flags that every conversation command takes, as commander gives them. */
export interface CommonFlags {
  readonly model?: string
  readonly effort?: string
  readonly sandbox?: 'read-only' | 'workspace-write' | 'danger-full-access'
  readonly askForApproval?: 'untrusted' | 'on-failure' | 'on-request' | 'never'
  readonly cd?: string
  readonly addDir?: string[]
  readonly profile?: string
  readonly config?: Record<string, string>
  readonly ephemeral?: boolean
}

export interface ExecFlags extends CommonFlags {
  readonly json?: boolean
  readonly output?: string
  readonly policy?: string
  readonly stdin?: boolean
  readonly timeout?: number
  readonly record?: string
}

/** What the flags set; the rest comes from config files, or from what a conversation recorded. */
export function overridesOf(flags: CommonFlags & { readonly policy?: string }): Overrides {
  const { model, effort, sandbox, askForApproval, cd, addDir, profile, config, policy } = flags
  return {
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(askForApproval === undefined ? {} : { approvalPolicy: askForApproval }),
    ...(cd === undefined ? {} : { cwd: cd }),
    ...(addDir === undefined ? {} : { addDirs: addDir }),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { config }),
    ...(policy === undefined ? {} : { policyFile: policy }),
  }
}

/** `key=value`, collected over repeated flags. Throws the sentence for the user. */
export function collectConfig(text: string, known: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=')
  if (at <= 0) throw new Error(`-c needs key=value, e.g. -c model="gpt-5"; got ${JSON.stringify(text)}.`)
  return { ...known, [text.slice(0, at).trim()]: text.slice(at + 1).trim() }
}

export function collectList(text: string, known: string[] = []): string[] {
  return [...known, text]
}

/** Seconds as people write them: `90`, `90s`, `5m`, `1h`. Milliseconds. Throws the sentence for the user. */
export function parseDuration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(s|m|h)?$/.exec(text)
  const unitMs = { s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? 's']
  if (match?.[1] === undefined || unitMs === undefined)
    throw new Error(`a duration is like 90, 90s, 5m or 1h; got ${JSON.stringify(text)}.`)
  return Number(match[1]) * unitMs
}
