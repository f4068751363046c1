import { homedir, tmpdir, userInfo } from 'node:os'
import { basename } from 'node:path'
import { commandEnvironment, type SandboxReport } from '@parley/host'
import type { ExecResultOf } from '@parley/protocol/exec'
import { uriOf } from './location.ts'

export type EnvironmentInfo = ExecResultOf<'environment/info'>

/** What a client must know of the machine before it can ask for anything sensible. */
export function describeEnvironment(version: string, sandbox: SandboxReport): EnvironmentInfo {
  const shell = userShell()
  return {
    shell: { name: basename(shell), path: shell },
    executorVersion: version,
    cwd: uriOf(process.cwd()),
    userHomeDir: uriOf(homedir()),
    tempDir: uriOf(tmpdir()),
    env: commandEnvironment(process.env),
    platformOs: process.platform === 'darwin' ? 'macos' : process.platform,
    sandbox: { enforcement: sandbox.enforcement, reason: sandbox.reason },
    capabilities: {
      sandbox: sandbox.enforcement !== 'none',
      pty: true,
      processResize: true,
      sessionResume: true,
      outputGaps: true,
      fileHashes: true,
    },
  }
}

/** A user without an entry in the system's list has a shell all the same. */
function userShell(): string {
  try {
    return userInfo().shell ?? process.env['SHELL'] ?? '/bin/sh'
  } catch {
    return process.env['SHELL'] ?? '/bin/sh'
  }
}
