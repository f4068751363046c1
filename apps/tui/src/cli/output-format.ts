import { misused, type ParleyError } from './parley-error.ts'

export const outputFormats = ['text', 'json', 'codex'] as const

export type OutputFormat = (typeof outputFormats)[number]

interface FormatFlags {
  readonly json?: boolean
  readonly experimentalJson?: boolean
  readonly outputFormat?: OutputFormat
}

/** What stdout is for: the three flags say the same thing, and must not contradict each other. */
export function outputFormatOf({ json, experimentalJson, outputFormat }: FormatFlags): OutputFormat {
  const wanted = new Set<OutputFormat>([
    ...(json === true ? ['json' as const] : []),
    ...(experimentalJson === true ? ['codex' as const] : []),
    ...(outputFormat === undefined ? [] : [outputFormat]),
  ])
  if (wanted.size > 1) throw contradiction(wanted)
  const [format = 'text'] = wanted
  return format
}

function contradiction(wanted: ReadonlySet<OutputFormat>): ParleyError {
  const message = `Stdout can have one format, not ${[...wanted].join(' and ')}: --json is json, --experimental-json is codex.`
  return misused(message)
}
