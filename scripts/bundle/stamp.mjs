import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildFolder } from './places.mjs'

/**
 * Starts the stamp with the time at the start of the build, so that a source saved during the build counts as newer.
 * `finish` puts it in place, with the version for `--version` and the Node to run, which is the one that built.
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
