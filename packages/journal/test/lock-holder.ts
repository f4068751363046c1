import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { nodeFiles } from '../src/disk/node-files.ts'
import { sessionPaths } from '../src/disk/session-paths.ts'
import { LogView } from '../src/log/read-log.ts'
import { listSessions } from '../src/sessions/session-index.ts'
import { thisProcess, WriterLock } from '../src/sessions/writer-lock.ts'

/** A second process for the lock's tests: commands on stdin, an answer a line on stdout. */
const [home = '', id = ''] = process.argv.slice(2)
const paths = sessionPaths(home, id)
if (paths === null) throw new Error('no id')
const { lock: lockPath, log, folder } = paths
const place = paths
const held: WriterLock[] = []

function acquire(): string {
  const result = WriterLock.tryAcquire(nodeFiles, place, thisProcess(nodeFiles, { program: 'holder', socket: null }))
  if (!(result instanceof WriterLock)) return `refused ${result.heldBy?.pid ?? 'by nobody known'}`
  held.push(result)
  return `held ${process.pid}`
}

/** All that parley does with the folder of a conversation it holds. */
async function readEverything(): Promise<string> {
  await listSessions(nodeFiles, home, {
    fileName: 'index.jsonl',
    version: 1,
    tellingTypes: new Set(),
    goesOn: false,
    isRow: (row): row is 1 => row === 1,
    describe: () => 1,
  })
  if (nodeFiles.look(log) !== null) {
    using view = LogView.open(nodeFiles, log)
    for (const line of view.lines()) void line
  }
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    statSync(path)
    if (path !== lockPath && statSync(path).isFile()) readFileSync(path)
  }
  acquire()
  if (globalThis.gc !== undefined) globalThis.gc()
  return 'read'
}

/** Opens and closes everything in the folder past all rules, the lock too: the kernel's lock is dropped by that. */
function readPastRules(): string {
  for (const name of readdirSync(folder)) if (statSync(join(folder, name)).isFile()) readFileSync(join(folder, name))
  return 'read'
}

/** Tells if another process has the kernel's lock, whatever the owner file says. */
function kernelLock(): string {
  const lock = nodeFiles.lock(lockPath)
  lock?.release()
  return lock === null ? 'held' : 'free'
}

/** Names the lock files in the folder whose kernel lock another process has. */
function heldLocks(): string {
  const isHeld = (name: string) => {
    const lock = nodeFiles.lock(join(folder, name))
    lock?.release()
    return lock === null
  }
  const locks = readdirSync(folder).filter((name) => name.endsWith('.lock'))
  return locks.filter(isHeld).sort().join(' ')
}

for await (const command of createInterface({ input: process.stdin })) {
  if (command === 'acquire') process.stdout.write(`${acquire()}\n`)
  if (command === 'read') process.stdout.write(`${await readEverything()}\n`)
  if (command === 'readPastRules') process.stdout.write(`${readPastRules()}\n`)
  if (command === 'kernelLock') process.stdout.write(`${kernelLock()}\n`)
  if (command === 'heldLocks') process.stdout.write(`${heldLocks()}\n`)
  if (command === 'release') {
    for (const lock of held.splice(0)) lock[Symbol.dispose]()
    process.stdout.write('released\n')
  }
}
