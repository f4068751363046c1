import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFolder } from './places.mjs'

/**
 * The stamp carries the time at which the build began to read, so that a source saved during the build counts as newer.
 * The launcher also finds here the answer to `--version` and the Node that built, which is the one to run.
 */
export function startStamp() {
  mkdirSync(buildFolder, { recursive: true })
  const begun = join(buildFolder, `stamp.${process.pid}`)
  writeFileSync(begun, '')
  process.once('exit', () => rmSync(begun, { force: true }))
  return {
    finish(version) {
      replace('version', (path) => writeFileSync(path, `${version}\n`))
      replace('node', (path) => symlinkSync(process.execPath, path))
      renameSync(begun, join(buildFolder, 'stamp'))
    },
  }
}

function replace(name, write) {
  const fresh = join(buildFolder, `${name}.${process.pid}`)
  rmSync(fresh, { force: true })
  write(fresh)
  renameSync(fresh, join(buildFolder, name))
}
