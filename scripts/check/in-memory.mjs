import { spawnSync } from 'node:child_process'
import { tmpdir, userInfo } from 'node:os'
import { root } from '../bundle/places.mjs'

/** Less, and what tests write for a moment could push other programs out of memory. */
const neededBytes = 8 * 1024 ** 3

/** Folders for temporary files: the system's, and one that a sandbox does not replace. */
const folders = [tmpdir(), '/var/tmp']
const mounts = folders.map((folder) => `mount -t tmpfs -o mode=1777,size=50% parley-tests '${folder}'`).join(' && ')

/**
 * Returns the command with the folders for temporary files in memory, for it and its children alone. Tests write and sync
 * thousands of small files, and a sixth of their CPU was the disk's. The command itself where that cannot be, and in long
 * runs, which prove the same on a disk.
 */
export function inMemory(command, env = process.env) {
  const wrapped = [
    'unshare',
    '--mount',
    '--propagation',
    'private',
    'sh',
    '-c',
    `${mounts} && exec "$0" "$@"`,
    ...command,
  ]
  const isPossible =
    process.platform === 'linux' &&
    userInfo().uid === 0 &&
    env.PARLEY_LONG_TESTS !== '1' &&
    process.availableMemory() > neededBytes &&
    !folders.some((folder) => `${root}/`.startsWith(`${folder}/`)) &&
    spawnSync(wrapped[0], [...wrapped.slice(1, -command.length), 'true']).status === 0
  return isPossible ? wrapped : command
}
