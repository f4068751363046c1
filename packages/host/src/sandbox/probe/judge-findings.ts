import type { SandboxLimits } from '../limits.ts'
import type { ProbeFindings } from './script.ts'

/** What did not hold, each as the rest of "it did not …". */
export function judgeFindings(findings: ProbeFindings, mode: SandboxLimits['mode'], filtered: boolean): string[] {
  const writes = mode === 'workspace-write'
  const problems: readonly (readonly [boolean, string])[] = [
    [findings.wroteInside !== writes, writes ? 'let it write to its own folder' : 'keep it from writing'],
    [findings.wroteOutside, 'keep it from writing elsewhere'],
    [findings.readSecret, 'hide a secret from it'],
    [findings.tcp === 'ok', 'keep it from the network'],
    [filtered && !(findings.filtered && findings.unix === 'EPERM'), 'filter its system calls'],
  ]
  return problems.filter(([isProblem]) => isProblem).map(([, text]) => text)
}
