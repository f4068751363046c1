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

const programs = '(parley|server|mcp-server|acp|app-server|exec-server|store|search)'
const chunkName = new RegExp(String.raw`^${programs}-.+-[A-Z0-9]{8}\.(mjs|cjs|cache)(\.map)?$`)
const entryName = new RegExp(String.raw`^${programs}\.mjs$`)
const keepSupersededMs = 24 * 60 * 60 * 1000

/**
 * Puts the files in place, one rename each, entry points last. A program that starts during a build thus finds all old
 * files or all new ones. Chunks of earlier builds stay for a day, because a running session may load them later.
 */
export function publish(outputs) {
  mkdirSync(distFolder, { recursive: true })
  const ordered = outputs.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)))
  const live = new Set(outputs.map((output) => basename(output.path)))
  const before = readdirSync(distFolder).filter((name) => chunkName.test(name))
  for (const output of ordered) place(output)
  for (const name of before.filter((chunk) => !live.has(chunk) && !chunk.endsWith('.cache')))
    retire(join(distFolder, name))
  // A cache of the same code may have been made by a run that called little of it.
  for (const name of before.filter((chunk) => chunk.endsWith('.cache'))) rmSync(join(distFolder, name))
  // The compile cache of the old files would only grow.
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

/** Links the file, which costs no disk; copies it across file systems. */
function linkOrCopy(from, to) {
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
    chmodSync(to, 0o755)
  }
}

/** Marks a chunk with access time 0 at the first build without it. Removes it a day later. */
function retire(path) {
  const { atimeMs, mtimeMs } = statSync(path)
  const superseded = atimeMs === 0
  if (!superseded) utimesSync(path, 0, new Date())
  else if (Date.now() - mtimeMs > keepSupersededMs) rmSync(path)
}
