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
  startsPrograms: 'is started by parley or another tool, or names what they start',
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

/** Files and folders that other programs of the user run later, by their path below a folder. */
const runLater: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)\.github\/(?:workflows|actions)\//i, 'CI runs it'],
  [
    /(?:^|\/)(?:\.gitlab-ci\.ya?ml|\.travis\.ya?ml|azure-pipelines\.ya?ml|bitbucket-pipelines\.ya?ml|Jenkinsfile|\.drone\.ya?ml|appveyor\.yml)$/i,
    'CI runs it',
  ],
  [/(?:^|\/)(?:\.circleci|\.buildkite|\.woodpecker|\.forgejo|\.gitea|\.ci)\//i, 'CI runs it'],
  [
    /(?:^|\/)(?:GNUmakefile|makefile|[^/]+\.mk|justfile|Taskfile\.ya?ml|Rakefile|SConstruct|CMakeLists\.txt)$/i,
    'build tools run it',
  ],
  [
    /(?:^|\/)(?:package\.json|\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|deno\.jsonc?)$/i,
    'package managers run what it names',
  ],
  [
    /(?:^|\/)(?:setup\.py|conftest\.py|sitecustomize\.py|noxfile\.py|build\.rs|\.cargo\/config(?:\.toml)?|build\.gradle(?:\.kts)?|gradlew|mvnw|Gemfile|composer\.json)$/i,
    'build tools run it',
  ],
  [
    /(?:^|\/)(?:Dockerfile|Containerfile|(?:docker-)?compose\.ya?ml|Vagrantfile|\.devcontainer(?:\.json|\/.*))$/i,
    'containers are built by it',
  ],
  [/(?:^|\/)(?:\.pre-commit-config\.ya?ml|lefthook\.ya?ml|\.lefthook\/.*)$/i, 'git hooks run what it names'],
  [
    /(?:^|\/)(?:\.claude|\.codex|\.gemini|\.cursor|\.aider[^/]*|\.continue|\.windsurf|\.opencode|\.roo|\.cline)(?:\/|$)/i,
    'another agent obeys it',
  ],
  [
    /(?:^|\/)(?:AGENTS\.md|CLAUDE\.md|GEMINI\.md|\.cursorrules|\.windsurfrules|\.clinerules|copilot-instructions\.md|opencode\.jsonc?)$/i,
    'agents obey it',
  ],
  [/(?:^|\/)(?:\.tool-versions|mise\.toml|\.mise\.toml|shell\.nix|flake\.nix|\.env)$/i, 'shells and tools load it'],
]

/** Returns who runs or obeys a file later, by its name alone; null for other files. */
export function laterUse(path: string): string | null {
  return runLater.find(([pattern]) => pattern.test(path))?.[1] ?? null
}

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

/** Further names in a writable home of which only existing ones are kept: their names are too many to reserve. */
export const alsoAtHome = [
  '.Rprofile',
  '.Xresources',
  '.asdf',
  '.bun',
  '.cargo',
  '.claude',
  '.codex',
  '.condarc',
  '.cshrc',
  '.curlrc',
  '.cursor',
  '.deno',
  '.emacs',
  '.emacs.d',
  '.exrc',
  '.fzf.bash',
  '.fzf.zsh',
  '.gdbinit',
  '.gemini',
  '.gemrc',
  '.irbrc',
  '.lldbinit',
  '.mailcap',
  '.nanorc',
  '.nvm',
  '.oh-my-zsh',
  '.psqlrc',
  '.pyenv',
  '.pythonrc',
  '.rbenv',
  '.rvm',
  '.screenrc',
  '.sdkman',
  '.tcshrc',
  '.tmux',
  '.tmux.conf',
  '.vim',
  '.vimrc',
  '.volta',
  '.wgetrc',
  '.xsessionrc',
  'Library/LaunchAgents',
  'bin',
  'go/bin',
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
