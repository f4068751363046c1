import { insideRuleset } from '../landlock/rules.ts'
import { insideScript, scriptArguments } from '../landlock/script.ts'
import type { FilterArch } from '../seccomp/filter.ts'

/** Landlock of the machine, and the program that applies it. */
export interface LandlockHere {
  /** Absolute path of Perl, from where commands cannot write. */
  readonly program: string
  /** Version of the kernel's Landlock. */
  readonly version: number
}

/**
 * Returns the words that make a command in `read-only` give up writing to FIFOs and devices elsewhere, which a
 * read-only mount leaves open. They take 2 to 3 ms, so commands that may write go without.
 */
export function writeLimits({ program, version }: LandlockHere, arch: FilterArch): string[] {
  return [program, '-f', '-e', insideScript, ...scriptArguments({ arch, ...insideRuleset(version) })]
}
