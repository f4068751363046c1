import { setTimeout as delay } from 'node:timers/promises'
import type { CommandSpec } from '../src/index.ts'
import { createMark, markVariable } from '../src/index.ts'
import { listPids, readVariable } from '../src/system/process-table.ts'

/** Polls until the condition holds; the time limit of the test ends the wait otherwise. */
export async function waitUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(5)
}

/** Lists the live processes that carry the mark (a zombie has no env). */
export function markedPids(mark: string): number[] {
  return listPids().filter((pid) => readVariable(pid, markVariable) === mark)
}

export function shellCommand(script: string, more: Partial<CommandSpec> = {}): CommandSpec {
  return command(['sh', '-c', script], more)
}

export function command(argv: readonly string[], more: Partial<CommandSpec> = {}): CommandSpec {
  return { argv, cwd: '/', env: { PATH: process.env['PATH'] ?? '' }, mark: createMark(), ...more }
}
