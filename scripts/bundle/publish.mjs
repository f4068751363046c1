import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { distFolder } from './places.mjs'

const chunkName = /^(parley|server|mcp-server|exec-server)-.+-[A-Z0-9]{8}\.mjs(\.map)?$/
const entryName = /^(parley|server|mcp-server|exec-server)\.mjs$/
const keepSupersededMs = 24 * 60 * 60 * 1000

/**
 * Puts the files in place one rename each, entry points last, so that a program that starts during a build finds
 * either all of the old or all of the new. Chunks that a new build no longer names stay for a day: a session that is
 * still running may load one of them later.
 */
export function publish(outputs) {
  mkdirSync(distFolder, { recursive: true })
  const ordered = outputs.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)))
  const live = new Set(outputs.map((output) => basename(output.path)))
  const before = readdirSync(distFolder).filter((name) => chunkName.test(name))
  for (const output of ordered) place(output)
  for (const name of before.filter((chunk) => !live.has(chunk))) retire(join(distFolder, name))
  // What Node has compiled of the old files, which would only grow.
  rmSync(join(distFolder, 'compile-cache'), { recursive: true, force: true })
}

export const isEntry = (path) => entryName.test(basename(path))

function place({ path, contents, from }) {
  mkdirSync(dirname(path), { recursive: true })
  const fresh = `${path}.${process.pid}`
  if (from) linkOrCopy(from, fresh)
  else writeFileSync(fresh, contents)
  renameSync(fresh, path)
  // rename(2) between two links of one file does nothing and leaves both.
  rmSync(fresh, { force: true })
}

/** A hard link costs no disk; across file systems it must be a copy. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    chmodSync(to, 0o755)
  }
}

/** The first build without a chunk marks it with an access time in the past; one a day later removes it. */
function retire(path) {
  const { atimeMs, mtimeMs } = statSync(path)
  const superseded = atimeMs === 0
  if (!superseded) utimesSync(path, 0, new Date())
  else if (Date.now() - mtimeMs > keepSupersededMs) rmSync(path)
}
