import { spawnSync } from 'node:child_process'

const trials: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['bwrap', '--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--proc', '/proc', 'true'],
  darwin: ['sandbox-exec', '-p', '(version 1) (allow default)', 'true'],
}

/** True where this machine and user can enforce all limits of a command, as far as one trial tells. */
export const hasFullSandbox = canRun(trials[process.platform] ?? [])

/** Reason for a test to be left out, as `context.skip` takes it. */
export const noFullSandbox = 'nothing enforces all limits for this user on this machine (bubblewrap does)'

function canRun([program, ...args]: readonly string[]): boolean {
  return program !== undefined && spawnSync(program, args, { stdio: 'ignore' }).status === 0
}

/** Removes the line about partial enforcement of limits, which a run prints to stderr on other machines only. */
export function withoutSandboxLine(stderr: string): string {
  return hasFullSandbox
    ? stderr
    : stderr.replace(/^parley: (?:The sandbox is only partial|There is no sandbox) here.*\n/gm, '')
}
