import { UsageProblem } from './usage-problem.ts'

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 }
/** What a timer can count. */
const maxMs = 2 ** 31 - 1

/** `90s`, `30m`, `2h`; `never` is null. */
export function readDuration(flag: string, text: string): number | null {
  if (text === 'never') return null
  const match = /^(\d+)([smh])$/.exec(text)
  const ms = Number(match?.[1]) * (unitsMs[match?.[2] ?? ''] ?? Number.NaN)
  if (ms <= maxMs) return ms
  throw new UsageProblem(`${flag} takes a time such as 90s, 30m or 2h, or never, not ${JSON.stringify(text)}.`)
}
