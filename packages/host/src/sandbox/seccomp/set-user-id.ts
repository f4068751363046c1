import type { Line } from './bpf.ts'
import type { CallName, ModeCall } from './refused-calls.ts'

type Label = 'openFlags' | 'openatFlags' | 'secondMode' | 'thirdMode' | 'fourthMode' | 'allow' | 'refuse' | 'unknown'

/** S_ISUID. A program that a command leaves with it would do, for whoever starts it, what this user may. */
const setUserId = 0o4000
/** O_CREAT and the own bit of O_TMPFILE: only with them there is a mode. */
const creating = 0x400040

const judges: readonly (readonly [ModeCall, Label])[] = [
  ['chmod', 'secondMode'],
  ['fchmod', 'secondMode'],
  ['creat', 'secondMode'],
  ['mknod', 'secondMode'],
  ['fchmodat', 'thirdMode'],
  ['fchmodat2', 'thirdMode'],
  ['mknodat', 'thirdMode'],
  ['open', 'openFlags'],
  ['openat', 'openatFlags'],
  // Its mode is behind a pointer; whoever gets this answer uses openat.
  ['openat2', 'unknown'],
]

export function modeCalls(calls: Readonly<Partial<Record<CallName, number>>>): Line<Label>[] {
  return judges.flatMap(([name, yes]) => {
    const k = calls[name]
    return k === undefined ? [] : [{ op: 'jumpIfEqual' as const, k, yes }]
  })
}

/** `argument`: where the nth argument, from 0, is found. */
export function modes(argument: (index: 1 | 2 | 3) => number): Line<Label>[] {
  return [
    { label: 'openFlags', op: 'load', k: argument(1) },
    { op: 'jumpIfSet', k: creating, yes: 'thirdMode', no: 'allow' },
    { label: 'openatFlags', op: 'load', k: argument(2) },
    { op: 'jumpIfSet', k: creating, yes: 'fourthMode', no: 'allow' },
    { label: 'secondMode', op: 'load', k: argument(1) },
    { op: 'jumpIfSet', k: setUserId, yes: 'refuse', no: 'allow' },
    { label: 'thirdMode', op: 'load', k: argument(2) },
    { op: 'jumpIfSet', k: setUserId, yes: 'refuse', no: 'allow' },
    { label: 'fourthMode', op: 'load', k: argument(3) },
    { op: 'jumpIfSet', k: setUserId, yes: 'refuse', no: 'allow' },
  ]
}
