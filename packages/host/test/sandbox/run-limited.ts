import { runWrapped } from '../../src/sandbox/probe/try-limits.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'

export interface LimitedEnd {
  readonly exitCode: number | null
  /** Both outputs, line by line. */
  readonly lines: readonly string[]
}

/** Runs a shell script under the limits. The caller releases the sandbox. */
export async function runLimited(
  sandbox: Sandbox,
  script: string,
  more: { cwd?: string; env?: Record<string, string> } = {},
): Promise<LimitedEnd> {
  const command = { argv: ['/bin/sh', '-c', script], cwd: more.cwd ?? '/', env: { PATH: '/usr/bin:/bin', ...more.env } }
  const { exitCode, stdout, stderr } = await runWrapped(sandbox.wrap(command), 20_000)
  return { exitCode, lines: `${stdout}\n${stderr}`.split('\n').filter((line) => line !== '') }
}
