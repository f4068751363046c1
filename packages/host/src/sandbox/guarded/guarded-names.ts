/** Reasons for which a path is protected: each names what runs or reads it later. */
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

/** Returns the reason as the rest of a sentence that begins with a file name. */
export function guardText(kind: GuardKind): string {
  return texts[kind]
}

/** Names in every writable folder whose files run, or decide what runs, outside the sandbox later. `.git` is handled apart. */
const kindsByName = {
  '.parley': 'parley',
  '.vscode': 'editor',
  '.idea': 'editor',
  '.husky': 'gitCommands',
  '.envrc': 'shellFolder',
  '.mcp.json': 'startsPrograms',
} as const satisfies Readonly<Record<string, GuardKind>>

export const guardedNames: ReadonlyMap<string, GuardKind> = new Map(Object.entries(kindsByName))

/** Names in a writable home that are read when programs start. */
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

/** Files that git runs as hooks. */
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
