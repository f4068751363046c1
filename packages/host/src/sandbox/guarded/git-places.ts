import { closeSync, constants, fstatSync, lstatSync, readSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { openUnlocked } from '../../locked-files.ts'

/** Real paths that decide what git runs in a repository, whether they exist or not. */
export type GitPlaces = readonly string[]

const maxBytes = 64 * 1024
/** A file that git reads, and which names others: `commondir` alone leads it to another repository's settings. */
const settingFiles = ['config', 'config.worktree'] as const

/** What is named by `entry`, a folder or a file named `.git`, or by what that names. */
export function gitPlaces(entry: string): GitPlaces {
  if (lstatSync(entry, { throwIfNoEntry: false })?.isFile() !== true) return placesOfFolder(entry)
  const target = /^gitdir:[ \t]*(.+?)\s*$/m.exec(readStart(entry))?.[1]
  if (target === undefined) return []
  const folder = real(resolve(dirname(entry), target))
  return [folder, ...placesOfFolder(folder)]
}

/** What a repository's own folder leads to. */
export function placesOfFolder(folder: string): string[] {
  const common = readStart(join(folder, 'commondir')).trim()
  const commonFolder = common === '' ? null : real(resolve(folder, common))
  const folders = commonFolder === null ? [folder] : [folder, commonFolder]
  const links = folders.flatMap((at) => ['hooks', ...settingFiles].map((name) => real(join(at, name))))
  const named = folders.flatMap((at) => settingFiles.flatMap((name) => placesInSettings(at, name)))
  return [...(commonFolder === null ? [] : [commonFolder]), ...links, ...named]
}

/** Settings of settings: other files that are read as such, and where hooks are. */
function placesInSettings(folder: string, name: string): string[] {
  const file = join(folder, name)
  const work = dirname(folder)
  return settingsOf(readStart(file)).map(({ key, value }) => {
    const path = value.startsWith('~/') ? join(homedir(), value.slice(2)) : value
    return real(resolve(key === 'path' ? dirname(real(file)) : work, path))
  })
}

interface Setting {
  readonly key: 'path' | 'hookspath'
  readonly value: string
}

function settingsOf(text: string): Setting[] {
  return [...text.matchAll(/(?:^|\])[ \t]*(path|hookspath)[ \t]*=[ \t]*"?([^"\n;#]+)/gim)].flatMap(([, key, value]) => {
    const path = (value ?? '').trim()
    return path === '' ? [] : [{ key: key?.toLowerCase() === 'path' ? 'path' : 'hookspath', value: path }]
  })
}

/** Empty for what is no readable file. Never waits, whatever has taken its place meanwhile. */
function readStart(path: string): string {
  try {
    const fd = openUnlocked(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      if (!fstatSync(fd).isFile()) return ''
      const buffer = Buffer.alloc(maxBytes)
      // To git a NUL ends the line; here no path may hold one.
      return buffer.toString('utf8', 0, readSync(fd, buffer)).replaceAll('\0', '\n')
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}

/** With the links followed of as much as there is. */
export function real(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(real(parent), path.slice(parent.length).replace(/^\//, ''))
  }
}
