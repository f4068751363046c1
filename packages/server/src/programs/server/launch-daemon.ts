import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { openUnlocked } from '@parley/host'
import { makeFolders, nodeFiles } from '@parley/journal'
import { systemErrorCode } from '@parley/workspace'
/** What a daemon tells its launcher: where it listens, or why it does not. */
export type DaemonReport = { readonly addresses: readonly string[] } | { readonly problem: string }

/**
 * Starts this very program again in a session of its own, waits until it can be reached, and says where in one line.
 * Resolves with the exit code.
 */
export async function launchDaemon({ home }: { readonly home: string }): Promise<number> {
  const [program = process.execPath, entry = '', ...rest] = process.argv
  const args = rest.map((word) => (word === '--daemon' ? '--daemon-process' : word))
  const log = openDaemonLog(home)
  if ('problem' in log) {
    process.stderr.write(`parley server: ${log.problem}\n`)
    return 1
  }
  const child = spawn(program, [...process.execArgv, entry, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', log.descriptor, 'ipc'],
  })
  closeSync(log.descriptor)
  const word = await firstWord(child, log.path)
  if ('problem' in word) {
    process.stderr.write(`parley server: ${word.problem}\n`)
    return 1
  }
  child.disconnect()
  child.unref()
  process.stdout.write(
    `parley server ${child.pid} listens on ${word.addresses.join(' and ')} (stop it: kill ${child.pid})\n`,
  )
  return 0
}

function openDaemonLog(
  home: string,
): { readonly descriptor: number; readonly path: string } | { readonly problem: string } {
  const folder = join(home, 'logs')
  const path = join(folder, 'daemon.log')
  try {
    makeFolders(nodeFiles, folder)
    return { descriptor: openUnlocked(path, 'a', 0o600), path }
  } catch (error) {
    const code = systemErrorCode(error) ?? String(error)
    return { problem: `Its log ${path} cannot be written (${code}). PARLEY_HOME must name a folder of yours.` }
  }
}

async function firstWord(child: ReturnType<typeof spawn>, logPath: string): Promise<DaemonReport> {
  const said = once(child, 'message').then(([word]) => readWord(word))
  const gone = once(child, 'exit').then(([code, signal]) => ({
    problem: `The server ended with ${signal ?? code} before it listened; ${logPath} may say why.`,
  }))
  const failed = once(child, 'error').then(([error]) => ({ problem: `The server could not be started: ${error}` }))
  return Promise.race([said, gone, failed])
}

function readWord(word: unknown): DaemonReport {
  if (typeof word === 'object' && word !== null) {
    if ('problem' in word) return { problem: String(word.problem) }
    if ('addresses' in word && Array.isArray(word.addresses)) return { addresses: word.addresses.map(String) }
  }
  return { problem: 'The server said something that is not understood.' }
}

/** Called in the daemon: it can be reached, or why not. Then nobody is told any more. */
export async function reportToLauncher(word: DaemonReport): Promise<void> {
  if (process.send === undefined) return
  await new Promise<void>((sent) => process.send?.(word, undefined, undefined, () => sent()))
  if (process.connected) process.disconnect()
}
