import type { SandboxOutcome } from '../sandbox.ts'

/** The id outside of the first process inside, which leads the command's group; null before there is one. `status` is what bwrap wrote. */
export function readFirstProcess(status: string): number | null {
  const pid = /^\{ "child-pid": (\d+)/.exec(status)?.[1]
  return pid === undefined ? null : Number(pid)
}

/**
 * `report` is what the inner shell wrote. The command can get at it and so hide what it left or pretend more; that it
 * ran at all it cannot hide, because bwrap itself tells that.
 */
export function readOutcome(status: string, report: string): SandboxOutcome {
  const ran = status.includes('"exit-code"') || report.startsWith('began')
  const leftovers = Number(/^left (\d{1,9})$/m.exec(report)?.[1] ?? 0)
  const lost = sentNowhere(report)
  return { ran, leftovers, ...(lost === null ? {} : { triedNetwork: lost > 0 }) }
}

/** Packets that had no way out, and look-ups that nobody answers; null when that was not counted. */
function sentNowhere(report: string): number | null {
  const lines = report.split('\n')
  const noRoute = tableValue(lines, 'Ip:', 'OutNoRoutes')
  if (noRoute === null) return null
  const noRoute6 = Number(/^Ip6OutNoRoutes (\d+)$/m.exec(report)?.[1] ?? 0)
  return noRoute + noRoute6 + (tableValue(lines, 'Udp:', 'NoPorts') ?? 0)
}

/** Of two lines, the first with the names. */
function tableValue(lines: readonly string[], table: string, name: string): number | null {
  const [names = [], values = []] = lines.filter((line) => line.startsWith(`${table} `)).map((line) => line.split(' '))
  const value = Number(values[names.indexOf(name)] ?? Number.NaN)
  return Number.isNaN(value) ? null : value
}
