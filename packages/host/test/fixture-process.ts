import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { bundledProgram } from '@parley/testkit'
import { sweepOrphans } from '../src/index.ts'

const bundled = new Map<string, string>()

/** Returns the path of a script or, bundled, of a program. */
export function fixturePath(name: string): string {
  const path = join(import.meta.dirname, 'fixtures', name)
  if (!name.endsWith('.ts')) return path
  const program = bundled.get(name) ?? bundledProgram(path)
  bundled.set(name, program)
  return program
}

export interface FixtureServer extends AsyncDisposable {
  readonly pid: number
  /** Returns its output so far. */
  output(): string
  kill(): Promise<void>
}

export function startFixture(name: string, ...args: readonly string[]): FixtureServer {
  const child = spawn(process.execPath, [fixturePath(name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  const pid = child.pid ?? 0
  const dispose = async () => {
    await kill()
    await sweepOrphans((owner) => owner.pid !== pid)
  }
  return { pid, output: () => output, kill, [Symbol.asyncDispose]: dispose }
}
