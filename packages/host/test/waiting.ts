import { setTimeout as delay } from 'node:timers/promises'
import type { CommandSpec } from '../src/index.ts'
import { createMark, markVariable } from '../src/index.ts'
import { listPids, readVariable } from '../src/system/process-table.ts'

/** Polls until the state is there; the test's own limit ends a wait in vain. */
export async function waitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5)
}

/** Live processes that carry the mark (a zombie has no environment). */
export function markedPids(mark: string): number[] {
  return listPids().filter((pid) => readVariable(pid, markVariable) === mark)
}

export function shellCommand(script: string, more: Partial<CommandSpec> = {}): CommandSpec {
  return command(['sh', '-c', script], more)
}

export function command(argv: readonly string[], more: Partial<CommandSpec> = {}): CommandSpec {
  return { argv, cwd: '/', env: { PATH: process.env['PATH'] ?? '' }, mark: createMark(), ...more }
}
