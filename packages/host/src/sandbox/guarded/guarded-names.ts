import { readdirSync } from 'node:fs'

/** The reasons for which a place stays as it is: each names who runs or reads it later. */
export const guardKinds = [
  'repository',
  'gitHooks',
  'gitSettings',
  'parley',
  'editor',
  'gitCommands',
  'shellFolder',
  'startsPrograms',
  'atStart',
  'unknown',
] as const

export type GuardKind = (typeof guardKinds)[number]

const texts: Readonly<Record<GuardKind, string>> = {
  repository: 'changes the repository itself, whose settings and hooks can run programs',
  gitHooks: 'lies where git looks for hooks, which it runs',
  gitSettings: 'is read by git as settings, which can run programs',
  parley: 'changes parley settings',
  editor: 'runs when an editor opens this folder',
  gitCommands: 'runs with git commands',
  shellFolder: 'runs when a shell enters this folder',
  startsPrograms: 'starts programs',
  atStart: 'is read when programs start',
  unknown: 'lies where it cannot be told what runs later',
}

/** Gives the reason as the rest of a sentence that begins with the name of a file. */
export function guardText(kind: GuardKind): string {
  return texts[kind]
}

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

/** The files that git runs where it looks for hooks. */
export const hookNames = [
  'applypatch-msg',
  'commit-msg',
  'fsmonitor-watchman',
  'p4-changelist',
  'p4-post-changelist',
  'p4-pre-submit',
  'p4-prepare-changelist',
  'post-applypatch',
  'post-checkout',
  'post-commit',
  'post-index-change',
  'post-merge',
  'post-receive',
  'post-rewrite',
  'post-update',
  'pre-applypatch',
  'pre-auto-gc',
  'pre-commit',
  'pre-merge-commit',
  'pre-push',
  'pre-rebase',
  'pre-receive',
  'prepare-commit-msg',
  'proc-receive',
  'push-to-checkout',
  'reference-transaction',
  'sendemail-validate',
  'update',
] as const
