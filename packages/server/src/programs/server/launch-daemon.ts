import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { openUnlocked } from '@parley/host'
import { makeFolders, nodeFiles } from '@parley/journal'
import { noHomeExitCode } from '@parley/protocol'
import { errorCode } from '@parley/text'

/** Report of a daemon to its launcher: its addresses, or the problem that keeps it from listening. */
export type DaemonReport = { readonly addresses: readonly string[] } | { readonly problem: string }

/**
 * Starts this program again as a daemon, waits until it listens, and prints its addresses. Resolves with the exit
 * code.
 */
export async function launchDaemon({ home }: { readonly home: string }): Promise<number> {
  const [program = process.execPath, entry = '', ...rest] = process.argv
  const args = rest.map((arg) => (arg === '--daemon' ? '--daemon-process' : arg))
  const log = openDaemonLog(home)
  if ('problem' in log) {
    process.stderr.write(`parley server: ${log.problem}\n`)
    return noHomeExitCode
  }
  const child = spawn(program, [...process.execArgv, entry, ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', log.descriptor, 'ipc'],
  })
  closeSync(log.descriptor)
  const report = await firstReport(child, log.path)
  if ('problem' in report) {
    process.stderr.write(`parley server: ${report.problem}\n`)
    return 1
  }
  child.disconnect()
  child.unref()
  process.stdout.write(
    `parley server ${child.pid} listens on ${report.addresses.join(' and ')} (stop it: kill ${child.pid})\n`,
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
    const code = errorCode(error) ?? String(error)
    return { problem: `Its log ${path} cannot be written (${code}). PARLEY_HOME must name a folder of yours.` }
  }
}

async function firstReport(child: ReturnType<typeof spawn>, logPath: string): Promise<DaemonReport> {
  const said = once(child, 'message').then(([report]) => readReport(report))
  const gone = once(child, 'exit').then(([code, signal]) => ({
    problem: `The server ended with ${signal ?? code} before it listened; ${logPath} may say why.`,
  }))
  const failed = once(child, 'error').then(([error]) => ({ problem: `The server could not be started: ${error}` }))
  return Promise.race([said, gone, failed])
}

function readReport(report: unknown): DaemonReport {
  if (typeof report === 'object' && report !== null) {
    if ('problem' in report) return { problem: String(report.problem) }
    if ('addresses' in report && Array.isArray(report.addresses)) return { addresses: report.addresses.map(String) }
  }
  return { problem: 'The server said something that is not understood.' }
}

/** Sends the daemon's report to the launcher and closes the channel. */
export async function reportToLauncher(report: DaemonReport): Promise<void> {
  if (process.send === undefined) return
  await new Promise<void>((sent) => process.send?.(report, undefined, undefined, () => sent()))
  if (process.connected) process.disconnect()
}
