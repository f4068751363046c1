import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, readlinkSync } from 'node:fs'
import { openUnlocked } from '../../system/locked-files.ts'
import { signalGroup } from '../../system/signals.ts'
import { openAnonymousFile, readAnonymousFile } from '../anonymous-file.ts'
import { readFirstProcess } from '../bubblewrap/inner-shell.ts'
import type { Loopback } from '../sandbox.ts'
import { type Dialer, openDialer } from './open-dialer.ts'

/**
 * Makes a loopback: bwrap makes it, because it raises the interface too, and ends; the namespaces of user and network
 * stay open here. Rejects with a sentence where this fails. Takes the absolute paths of `bwrap` and `nsenter`.
 */
export async function makeLoopback(bubblewrap: string, nsenter: string): Promise<Loopback> {
  const fds = await whileMade(bubblewrap, openNamespaces)
  let isClosed = false
  let dialer: Dialer | null = null
  const entrance = () => {
    if (isClosed) throw new Error('its loopback is closed')
    // By path: a descriptor that is handed over would stay open in the command.
    const [user, net] = fds.map((fd) => `/proc/${process.pid}/fd/${fd}`)
    return [nsenter, `--user=${user}`, `--net=${net}`, '--preserve-credentials', '--']
  }
  return {
    entrance,
    async connect(port) {
      if (dialer?.isOpen !== true) dialer = openDialer(entrance())
      return await dialer.dial(port)
    },
    close() {
      if (isClosed) return
      isClosed = true
      dialer?.close()
      for (const fd of fds) closeSync(fd)
    },
  }
}

/** Opens the namespaces of user and network of a process. Throws where it is not apart from this one. */
function openNamespaces(pid: number): number[] {
  const opened: number[] = []
  try {
    for (const kind of ['user', 'net']) {
      const path = `/proc/${pid}/ns/${kind}`
      opened.push(openUnlocked(path, constants.O_RDONLY))
      if (readlinkSync(path) === readlinkSync(`/proc/self/ns/${kind}`)) throw new Error('bwrap made no namespaces')
    }
    return opened
  } catch (error) {
    for (const fd of opened) closeSync(fd)
    throw error
  }
}

const timeLimitMs = 5000
const maxStatusBytes = 4096

/** Calls `take` with the first process in new namespaces, once their loopback works, and ends it. */
async function whileMade<Taken>(bubblewrap: string, take: (pid: number) => Taken): Promise<Taken> {
  // Without --dev and --disable-userns there is one user namespace, to which the network belongs.
  const options = ['--unshare-user', '--unshare-net', '--die-with-parent', '--cap-drop', 'ALL', '--ro-bind', '/', '/']
  const command = ['/bin/sh', '-c', 'echo made; read -r _']
  const status = openAnonymousFile()
  try {
    const maker = spawn(bubblewrap, [...options, '--json-status-fd', '3', '--', ...command], {
      env: {},
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', status],
    })
    try {
      await isMade(maker)
      const pid = readFirstProcess(readAnonymousFile(status, maxStatusBytes))
      if (pid === null) throw new Error('bwrap did not say what it had started')
      return take(pid)
    } finally {
      maker.stdin?.destroy()
    }
  } finally {
    closeSync(status)
  }
}

/** Resolves when the maker has written; rejects with its words where it ended before. */
function isMade(maker: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let errorText = ''
    const timer = setTimeout(() => {
      if (maker.pid !== undefined) signalGroup(maker.pid, 'SIGKILL')
    }, timeLimitMs)
    maker.stderr?.on('data', (chunk) => (errorText += String(chunk)))
    maker.stdin?.on('error', () => undefined)
    maker.stdout?.once('data', () => resolve())
    maker.once('error', reject)
    maker.once('close', () => {
      clearTimeout(timer)
      reject(new Error(errorText.trim() === '' ? 'bwrap ended before it had made a network' : errorText.trim()))
    })
  })
}
