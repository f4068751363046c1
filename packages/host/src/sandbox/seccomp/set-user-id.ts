import type { BpfInstruction } from './bpf.ts'
import type { CallName, ModeCall } from './refused-calls.ts'

type Label = 'openFlags' | 'openatFlags' | 'secondMode' | 'thirdMode' | 'fourthMode' | 'allow' | 'refuse' | 'unknown'

/** S_ISUID. A program with it, left by a command, would run with this user's rights for anyone. */
const setUserId = 0o4000
/** O_CREAT and the own bit of O_TMPFILE, the flags with which `open` has a mode. */
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
  // The mode of openat2 is behind a pointer; a program that gets ENOSYS uses openat.
  ['openat2', 'unknown'],
]

/** Returns the jumps of the calls that set permissions. */
export function modeCalls(calls: Readonly<Partial<Record<CallName, number>>>): BpfInstruction<Label>[] {
  return judges.flatMap(([name, yes]) => {
    const k = calls[name]
    return k === undefined ? [] : [{ op: 'jumpIfEqual' as const, k, yes }]
  })
}

/** Returns the lines that refuse S_ISUID. `argument` gives the offset of the nth argument, counted from 0. */
export function modes(argument: (index: 1 | 2 | 3) => number): BpfInstruction<Label>[] {
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
