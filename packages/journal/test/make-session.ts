import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeFiles } from '../src/disk/node-files.ts'
import { sessionPaths } from '../src/disk/session-paths.ts'
import { adoptSideFile, linkSideFiles, putSideFile } from '../src/disk/side-files.ts'
import { EventLog } from '../src/log/event-log.ts'
import { newHeader } from '../src/log/header.ts'
import { openLog } from '../src/log/open-log.ts'
import { listSessions } from '../src/sessions/session-index.ts'
import { thisProcess, WriterLock } from '../src/sessions/writer-lock.ts'

/** Makes one of every file the log layer makes, under the umask given. */
const [home = '', id = '', umask = ''] = process.argv.slice(2)
process.umask(Number.parseInt(umask, 8))
const paths = sessionPaths(home, id)
if (paths === null) throw new Error('no id')

using _ = WriterLock.tryAcquire(nodeFiles, paths, thisProcess(nodeFiles, { program: 'p', socket: null })) as WriterLock
const log = EventLog.create(nodeFiles, paths.log, { header: newHeader(id), home })
await log[Symbol.asyncDispose]()
writeFileSync(paths.log, 'torn', { flag: 'a' })
const opened = await openLog(nodeFiles, paths.log)
if (!opened.readOnly) await opened.log[Symbol.asyncDispose]()
await putSideFile(nodeFiles, paths.sideFiles, 'content')
const spool = join(paths.folder, 'spool')
writeFileSync(spool, 'spooled')
// Whoever spools output keeps the file readable for its owner, whatever the umask.
chmodSync(spool, statSync(spool).mode | 0o600)
await adoptSideFile(nodeFiles, paths.sideFiles, spool)
await linkSideFiles(nodeFiles, paths.sideFiles, `${paths.sideFiles}.fork`)
await listSessions(nodeFiles, home, {
  fileName: 'index.jsonl',
  version: 1,
  tellingTypes: new Set(),
  goesOn: false,
  isRow: (row): row is 1 => row === 1,
  describe: () => 1,
})
