import type { FilterArch } from '../seccomp/filter.ts'

const sameOnBoth = {
  landlock_create_ruleset: 444,
  landlock_add_rule: 445,
  landlock_restrict_self: 446,
  openat2: 437,
} as const

const numbers = {
  x64: { ...sameOnBoth, write: 1, close: 3, prctl: 157, capset: 126, seccomp: 317 },
  arm64: { ...sameOnBoth, write: 64, close: 57, prctl: 167, capset: 91, seccomp: 277 },
} as const satisfies Record<FilterArch, Readonly<Record<string, number>>>

/** The system calls of the script, as it takes them. */
export function callNumbers(arch: FilterArch): string {
  return Object.entries(numbers[arch])
    .map(([name, number]) => `${name}=${number}`)
    .join(',')
}
