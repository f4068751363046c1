import type { SeenCommand } from './facts.ts'
import { isShell, programOf } from './reached-commands.ts'

/**
 * Describes the first command that destroys things for good, or returns null. A warning and no boundary, since any
 * program can be run under another name.
 */
export function findDanger(commands: readonly SeenCommand[], script: string): string | null {
  for (const command of commands) {
    const danger = dangerOf(command)
    if (danger !== null) return danger
  }
  return dangerOfScript(script) ?? dangerOfDownload(commands)
}

const blockDevice = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|md|loop|mapper\/)/
const writesToDevice = />[ \t]{0,16}["']?\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|md|loop|mapper\/)/
// Bounded repetitions, so that a long text costs no more than its length.
const forkBomb = /([\w:.]{1,32})\s{0,4}\(\)\s{0,4}\{\s{0,4}\1\s{0,4}\|\s{0,4}\1\s{0,4}&/
const broadPath = /^(?:~|\/|\/[^/]*\/?\*?|~\/\*?)$/

type CommandTest = (command: SeenCommand) => boolean

const always: CommandTest = () => true

const checks: ReadonlyMap<string, readonly [effect: string, check: CommandTest]> = new Map([
  ['rm', ['deletes without asking', (command) => hasFlag(command, 'rRf', ['--force', '--recursive'])]],
  ['find', ['deletes what it finds', (command) => command.includes('-delete')]],
  ['dd', ['overwrites a file or device', (command) => command.some((word) => /^of=(?!\/dev\/null$)/.test(word ?? ''))]],
  ['tee', ['overwrites a device', (command) => command.some((word) => blockDevice.test(word ?? ''))]],
  ['cp', ['overwrites a device', (command) => blockDevice.test(command.at(-1) ?? '')]],
  ['truncate', ['cuts files off', always]],
  ['mv', ['moves into nothing', (command) => command.at(-1) === '/dev/null']],
  ['git', ['throws away work or history', discardsWork]],
  ['chmod', ['changes the rights of a whole system folder', changesAll]],
  ['chown', ['changes the owner of a whole system folder', changesAll]],
  ['chgrp', ['changes the group of a whole system folder', changesAll]],
  ['kill', ['signals every process', (command) => command.slice(2).includes('-1')]],
  ['init', ['stops the machine', (command) => /^[06]$/.test(command[1] ?? '')]],
  [
    'systemctl',
    ['stops the machine', (command) => command.some((word) => /^(?:poweroff|reboot|halt)$/.test(word ?? ''))],
  ],
  ['crontab', ['deletes the schedule', (command) => hasFlag(command, 'r', [])]],
  ...['shutdown', 'reboot', 'halt', 'poweroff', 'telinit', 'killall5'].map((name): [string, [string, CommandTest]] => [
    name,
    ['stops the machine', always],
  ]),
  ...['mkswap', 'wipefs', 'blkdiscard', 'fdisk', 'sfdisk', 'sgdisk', 'parted', 'shred', 'srm'].map(
    (name): [string, [string, CommandTest]] => [name, ['destroys data on a disk', always]],
  ),
])

function dangerOf(command: SeenCommand): string | null {
  const name = programOf(command)
  if (name === 'mkfs' || name.startsWith('mkfs.')) return `${name} destroys data on a disk`
  const found = checks.get(name)
  return found?.[1](command) ? `${name} ${found[0]}` : null
}

/** Finds short flags in any cluster and long ones also abbreviated, up to `--`. */
function hasFlag(command: SeenCommand, short: string, long: readonly string[]): boolean {
  const end = command.indexOf('--')
  return command.slice(1, end < 0 ? undefined : end).some((word) => {
    if (word?.startsWith('--')) return word.length > 2 && long.some((name) => name.startsWith(word))
    return word?.startsWith('-') ? [...word.slice(1)].some((flag) => short.includes(flag)) : false
  })
}

function discardsWork(command: SeenCommand): boolean {
  if (command.includes('clean')) return hasFlag(command, 'f', ['--force'])
  if (command.includes('reset')) return hasFlag(command, '', ['--hard'])
  if (!command.includes('push')) return false
  return hasFlag(command, 'fd', ['--force', '--mirror', '--delete']) || command.some((word) => /^\+./.test(word ?? ''))
}

function changesAll(command: SeenCommand): boolean {
  return hasFlag(command, 'R', ['--recursive']) && command.slice(1).some((word) => broadPath.test(word ?? ''))
}

function dangerOfScript(script: string): string | null {
  if (writesToDevice.test(script)) return 'it overwrites a device'
  return forkBomb.test(script) ? 'it is a fork bomb' : null
}

const downloads = new Set(['curl', 'wget', 'fetch', 'aria2c'])
const interpreters = new Set(['python', 'python3', 'perl', 'ruby', 'node', 'php'])

/**
 * Detects a download beside an interpreter that gets its program from a pipe or from words only the shell can expand.
 */
function dangerOfDownload(commands: readonly SeenCommand[]): string | null {
  if (!commands.some((command) => downloads.has(programOf(command)))) return null
  return commands.some(runsUnseenText) ? 'it runs what it downloads' : null
}

function runsUnseenText(command: SeenCommand): boolean {
  const name = programOf(command)
  const words = command.slice(1)
  if (name === 'eval' || name === 'source' || name === '.') return words.includes(null)
  if (!isShell(name) && !interpreters.has(name)) return false
  return words.includes(null) || words.every((word) => word === '-' || word === '-s' || /^-[ex]+$/.test(word ?? ''))
}
