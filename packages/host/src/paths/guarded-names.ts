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
  'agent',
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
  startsPrograms: 'is started by parley or another tool, or names what they start',
  agent: 'is obeyed by agents, or names what they start',
  atStart: 'is read when programs start',
  unknown: 'lies where it cannot be told what runs later',
}

/** Returns the reason as the rest of a sentence that begins with a file name. */
export function guardText(kind: GuardKind): string {
  return texts[kind]
}

/** Names in a writable home that are read when programs start. */
export const guardedAtHome = namesIn(`
  .bash_aliases .bash_login .bash_logout .bash_profile .bashrc .config .gitconfig .inputrc .kshrc .local .login
  .pam_environment .profile .ssh .xinitrc .xprofile .xsession .zlogin .zlogout .zprofile .zshenv .zshrc
`)

/** Further names in a writable home. Only existing ones are kept: they are too many to reserve. */
export const alsoAtHome = namesIn(`
  .Rprofile .Xresources .antigen .asdf .bash_completion .bashrc.d .bun .cargo .claude .codex .condarc .cshrc .curlrc
  .cursor .deno .emacs .emacs.d .exrc .fzf.bash .fzf.zsh .gdbinit .gemini .gemrc .hgrc .irbrc .lldbinit .mailcap
  .nanorc .nvm .oh-my-bash .oh-my-zsh .profile.d .psqlrc .pyenv .pythonrc .rbenv .rvm .screenrc .sdkman .tcshrc .tmux
  .tmux.conf .vim .vimrc .volta .wgetrc .xsessionrc .zinit .zsh .zsh_plugins .zsh_plugins.txt .zshrc.d
  Library/LaunchAgents bin go/bin
`)

/** Files that git runs as hooks. */
export const hookNames = namesIn(`
  applypatch-msg commit-msg fsmonitor-watchman p4-changelist p4-post-changelist p4-pre-submit p4-prepare-changelist
  post-applypatch post-checkout post-commit post-index-change post-merge post-receive post-rewrite post-update
  pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase pre-receive prepare-commit-msg
  proc-receive push-to-checkout reference-transaction sendemail-validate update
`)

function namesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}
