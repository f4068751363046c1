import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { bundledProgram } from '@parley/testkit'

const holder = bundledProgram(fileURLToPath(new URL('lock-holder.ts', import.meta.url)))

/** A second process that takes the lock of a conversation when it is told to. */
export interface LockHolder extends AsyncDisposable {
  readonly child: ChildProcess
  ask(command: 'acquire' | 'read' | 'readPastRules' | 'kernelLock' | 'heldLocks' | 'release'): Promise<string>
  kill(): Promise<void>
}

export function startLockHolder(home: string, conversationId: string): LockHolder {
  const args = ['--expose-gc', holder, home, conversationId]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  const ask = async (command: string) => {
    child.stdin.write(`${command}\n`)
    const { value } = await answers.next()
    return String(value)
  }
  return { child, ask, kill, [Symbol.asyncDispose]: kill }
}
