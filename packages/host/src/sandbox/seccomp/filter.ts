import { assemble, type BpfInstruction } from './bpf.ts'
import { arm64Calls, x64Calls } from './call-numbers.ts'
import { attributeCalls, type CallName, type ModeCall, refusedCalls, sharedCalls } from './refused-calls.ts'
export type FilterArch = 'x64' | 'arm64'

export interface FilterOptions {
  readonly arch: FilterArch
  /** True to allow unix sockets. Connected pairs of them are always allowed. */
  readonly unixSockets: boolean
  /** False where no network namespace keeps IP sockets from the network; default true. */
  readonly ipSockets?: boolean
  /** False where nothing else protects permissions, owners and attributes of files; default true. */
  readonly attributes?: boolean
  /** False where no namespace separates memory, queues and limits of other programs; default true. */
  readonly shared?: boolean
}

type ModeLabel = 'openFlags' | 'openatFlags' | 'secondMode' | 'thirdMode' | 'fourthMode'
type CallLabel = 'clone' | 'socket' | 'socketpair' | 'netlink' | 'ioctl' | 'personality' | 'prlimit'
type Label = 'x32' | CallLabel | ModeLabel | Verdict
type Verdict = 'allow' | 'refuse' | 'unknown' | 'kill'

const architectures = {
  x64: { audit: 0xc000003e, calls: x64Calls },
  arm64: { audit: 0xc00000b7, calls: arm64Calls },
} as const satisfies Record<FilterArch, { audit: number; calls: Readonly<Partial<Record<CallName, number>>> }>

/** Number of removexattrat (Linux 6.13) on both processors. Later calls are not judged and answer as on an older kernel. */
const lastKnownCall = 466
const x32Bit = 0x40000000

/**
 * Offsets in `struct seccomp_data`; of an argument, its lower half, as the kernel ignores the upper half for the calls
 * judged here.
 */
const data = { call: 0, arch: 4, argument: (index: 0 | 1 | 2 | 3) => 16 + 8 * index } as const

const namespaceFlags = 0x7e020000 // CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET; the time namespace has no flag here
const families = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const
const socketTypes = { mask: 0xf, stream: 1, seqpacket: 5 } as const
const netlinkProtocols = { route: 0, sockDiag: 4 } as const
/** Requests that type into a terminal or take one over: TIOCSTI, TIOCLINUX, TIOCSETD. */
const refusedIoctls = [0x5412, 0x541c, 0x5423] as const
/** Allowed personalities: plain, 32-bit names, old version numbers, fixed addresses, and the query for the present one. */
const personalities = [0, 0x8, 0x20000, 0x20008, 0x40000, 0xffffffff] as const

const actions: Readonly<Record<Verdict, number>> = {
  allow: 0x7fff0000,
  refuse: 0x00050000 | 1, // EPERM
  unknown: 0x00050000 | 38, // ENOSYS
  kill: 0x80000000,
}

/** Returns true when there is a filter for this processor. */
export function isFilterArch(arch: string): arch is FilterArch {
  return Object.hasOwn(architectures, arch)
}

/** Returns the filter of a sandboxed command's system calls, as an array of `struct sock_filter`. */
export function seccompFilter(options: FilterOptions): Buffer {
  const { audit, calls } = architectures[options.arch]
  const { unixSockets, ipSockets = true, attributes = true, shared = true } = options
  const refused = [...refusedCalls, ...(attributes ? [] : attributeCalls), ...(shared ? [] : sharedCalls)]
  return assemble<Label>([
    { op: 'load', k: data.arch },
    { op: 'jumpIfEqual', k: audit, no: 'kill' },
    { op: 'load', k: data.call },
    { op: 'jumpIfGreater', k: lastKnownCall, yes: 'x32' },
    ...refusals(refused, calls),
    // The flags of clone3 are behind a pointer, which a filter cannot follow. A libc that gets ENOSYS uses clone.
    { op: 'jumpIfEqual', k: calls.clone3, yes: 'unknown' },
    { op: 'jumpIfEqual', k: calls.clone, yes: 'clone' },
    ...modeCalls(calls),
    ...(shared ? [] : [{ op: 'jumpIfEqual', k: calls.prlimit64, yes: 'prlimit' } as const]),
    { op: 'jumpIfEqual', k: calls.socket, yes: 'socket' },
    { op: 'jumpIfEqual', k: calls.socketpair, yes: 'socketpair' },
    { op: 'jumpIfEqual', k: calls.ioctl, yes: 'ioctl' },
    { op: 'jumpIfEqual', k: calls.personality, yes: 'personality', no: 'allow' },
    { label: 'x32', op: 'jumpIfSet', k: x32Bit, yes: 'refuse', no: 'unknown' },
    { label: 'clone', op: 'load', k: data.argument(0) },
    { op: 'jumpIfSet', k: namespaceFlags, yes: 'refuse', no: 'allow' },
    ...sockets({ unixSockets, ipSockets }),
    ...socketPairs(unixSockets),
    ...modes(),
    { label: 'ioctl', op: 'load', k: data.argument(1) },
    ...oneOf(refusedIoctls, 'refuse', 'allow'),
    { label: 'personality', op: 'load', k: data.argument(0) },
    ...oneOf(personalities, 'allow', 'refuse'),
    // A command may change its own limits. A limit of another process could end it, by too few files.
    { label: 'prlimit', op: 'load', k: data.argument(0) },
    { op: 'jumpIfEqual', k: 0, yes: 'allow', no: 'refuse' },
    ...verdicts,
  ])
}

const verdicts: readonly BpfInstruction<Label>[] = (['allow', 'refuse', 'unknown', 'kill'] as const).map((verdict) => ({
  label: verdict,
  op: 'return',
  k: actions[verdict],
}))

function refusals(
  names: readonly CallName[],
  calls: Readonly<Partial<Record<CallName, number>>>,
): BpfInstruction<Label>[] {
  const numbers = names.map((name) => calls[name]).filter((number) => number !== undefined)
  return numbers.map((k) => ({ op: 'jumpIfEqual', k, yes: 'refuse' }))
}

function sockets(allowed: { readonly unixSockets: boolean; readonly ipSockets: boolean }): BpfInstruction<Label>[] {
  const free = [
    ...(allowed.unixSockets ? [families.unix] : []),
    ...(allowed.ipSockets ? [families.inet, families.inet6] : []),
  ]
  return [
    { label: 'socket', op: 'load', k: data.argument(0) },
    ...free.map((k) => ({ op: 'jumpIfEqual', k, yes: 'allow' }) as const),
    { op: 'jumpIfEqual', k: families.netlink, yes: 'netlink', no: 'refuse' },
    // These list the addresses and sockets of the command's own network.
    { label: 'netlink', op: 'load', k: data.argument(2) },
    ...oneOf(Object.values(netlinkProtocols), 'allow', 'refuse'),
  ]
}

/** Refuses pairs of datagram sockets (SOCK_RAW counts as one), which could send to any unix socket. */
function socketPairs(unixSockets: boolean): BpfInstruction<Label>[] {
  if (unixSockets) return [{ label: 'socketpair', op: 'return', k: actions.allow }]
  return [
    { label: 'socketpair', op: 'load', k: data.argument(1) },
    { op: 'and', k: socketTypes.mask },
    ...oneOf([socketTypes.stream, socketTypes.seqpacket], 'allow', 'refuse'),
  ]
}

function oneOf(values: readonly number[], found: Verdict, otherwise: Verdict): BpfInstruction<Label>[] {
  return values.map((k, index) => ({
    op: 'jumpIfEqual',
    k,
    yes: found,
    ...(index === values.length - 1 ? { no: otherwise } : {}),
  }))
}

/** S_ISUID. A program with it, left by a command, would run with this user's rights for anyone. */
const setUserId = 0o4000
/** O_CREAT and the own bit of O_TMPFILE, the flags with which `open` has a mode. */
const creating = 0x400040

const modeJumps: readonly (readonly [ModeCall, Label])[] = [
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
function modeCalls(calls: Readonly<Partial<Record<CallName, number>>>): BpfInstruction<Label>[] {
  return modeJumps.flatMap(([name, yes]) => {
    const k = calls[name]
    return k === undefined ? [] : [{ op: 'jumpIfEqual' as const, k, yes }]
  })
}

/** Returns the lines that refuse S_ISUID. */
function modes(): BpfInstruction<Label>[] {
  return [
    { label: 'openFlags', op: 'load', k: data.argument(1) },
    { op: 'jumpIfSet', k: creating, yes: 'thirdMode', no: 'allow' },
    { label: 'openatFlags', op: 'load', k: data.argument(2) },
    { op: 'jumpIfSet', k: creating, yes: 'fourthMode', no: 'allow' },
    { label: 'secondMode', op: 'load', k: data.argument(1) },
    { op: 'jumpIfSet', k: setUserId, yes: 'refuse', no: 'allow' },
    { label: 'thirdMode', op: 'load', k: data.argument(2) },
    { op: 'jumpIfSet', k: setUserId, yes: 'refuse', no: 'allow' },
    { label: 'fourthMode', op: 'load', k: data.argument(3) },
    { op: 'jumpIfSet', k: setUserId, yes: 'refuse', no: 'allow' },
  ]
}
