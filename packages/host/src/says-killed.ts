const highestSignal = 64

/** Whether an exit code is that of a shell, or of a sandbox, for what a signal has ended: 128 and its number. */
export function saysKilled(exitCode: number | null): boolean {
  return exitCode !== null && exitCode > 128 && exitCode <= 128 + highestSignal
}
