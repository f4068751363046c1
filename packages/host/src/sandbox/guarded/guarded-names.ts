import { readdirSync } from 'node:fs'
import type { GuardKind } from './guard-kinds.ts'

/** Names in every writable folder that run, or decide what runs, when a person or their programs come by. `.git` is looked at by itself. */
const kindsByName = {
  '.parley': 'parley',
  '.vscode': 'editor',
  '.idea': 'editor',
  '.husky': 'gitCommands',
  '.envrc': 'shellFolder',
  '.mcp.json': 'startsPrograms',
} as const satisfies Readonly<Record<string, GuardKind>>

export const guardedNames: ReadonlyMap<string, GuardKind> = new Map(Object.entries(kindsByName))

/** In a home that may be written to: what is read when programs start. */
export const guardedAtHome = [
  '.bash_aliases',
  '.bash_login',
  '.bash_logout',
  '.bash_profile',
  '.bashrc',
  '.config',
  '.gitconfig',
  '.inputrc',
  '.kshrc',
  '.local',
  '.login',
  '.pam_environment',
  '.profile',
  '.ssh',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.zlogin',
  '.zlogout',
  '.zprofile',
  '.zshenv',
  '.zshrc',
] as const

/** Services of the system that do things for whoever reaches them. Below /run, or /var/run where that is another folder. */
const servicesInRun = [
  'acpid.socket',
  'avahi-daemon',
  'containerd',
  'crio',
  'cups',
  'dbus',
  'docker',
  'docker.sock',
  'host-services',
  'initctl',
  'libvirt',
  'mysqld',
  'pcscd',
  'podman',
  'postgresql',
  'rpcbind.sock',
  'screen',
  'snapd-snap.socket',
  'snapd.socket',
  'systemd',
  'tmux',
  'user',
  'uuidd',
] as const

const servicesElsewhere = [
  '/var/lib/incus/unix.socket',
  '/var/lib/lxd/unix.socket',
  '/var/snap/lxd/common/lxd/unix.socket',
  '/var/spool/at',
  '/var/spool/cron',
] as const

const servicesAtHome = ['.colima', '.lima', '.orbstack', '.rd'] as const

/** Seen even so: where the way to the network's names is written down. */
export const seenAgain = ['/run/systemd/resolve'] as const

/** By a look at the folders: one after the other would cost more than all else that is looked at. */
export function systemServices(home: string): string[] {
  return [
    ...['/run', '/var/run'].flatMap((folder) => servicesAmong(namesIn(folder)).map((name) => `${folder}/${name}`)),
    ...servicesElsewhere,
    ...servicesAtHome.map((name) => `${home}/${name}`),
  ]
}

function servicesAmong(names: readonly string[] | null): readonly string[] {
  return names === null ? servicesInRun : servicesInRun.filter((name) => names.includes(name))
}

/** Null for a folder that cannot be listed, though what is in it may be reached. */
function namesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder)
  } catch {
    return null
  }
}
