import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'

export interface LongNap {
  /** Program text that a command runs. */
  readonly command: string
  /** Looked for by what it is called with: in a sandbox a process has another number than out here. */
  isOn(): boolean
}

/** A process that is told from all others. */
export function longNap(): LongNap {
  const command = `sleep 600.${randomInt(2 ** 40)}`
  const isOn = () => execFileSync('ps', ['-axo', 'args='], { encoding: 'utf8' }).split('\n').includes(command)
  return { command, isOn }
}
