import { nodeFiles } from '../src/disk/node-files.ts'
import { sessionPaths } from '../src/disk/session-paths.ts'
import { copyLog } from '../src/log/copy-log.ts'
import { forkHeader } from '../src/log/header.ts'

/** Forks a log, and is killed by itself once the first slice of it is written. */
const [home = '', fromId = '', toId = ''] = process.argv.slice(2)
const from = sessionPaths(home, fromId)
const to = sessionPaths(home, toId)
if (from === null || to === null) throw new Error('no id')

let writes = 0
const files: typeof nodeFiles = {
  ...nodeFiles,
  write(file, bytes) {
    const count = nodeFiles.write(file, bytes)
    writes += 1
    // The first write is the header.
    if (writes === 2) process.kill(process.pid, 'SIGKILL')
    return count
  },
}

const endOffset = nodeFiles.look(from.log)?.sizeBytes ?? 0
const header = forkHeader(toId, { id: fromId, seq: 1, crc: '' }, null)
await copyLog(files, { from, to, header, endOffset, key: 'k', home })
