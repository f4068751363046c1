import type { GuardKind } from './guarded-names.ts'

/** Files that make another program start something later, or obey them, without a command of the user. */
export interface AutoRunFiles {
  /** Paths below any folder; `*` stands for a part of one name. All that lies below a named folder counts, too. */
  readonly names: readonly string[]
  /**
   * Treatment at the top of each writable folder. `reserved`: commands cannot create it; `closed`: they cannot write to
   * an existing one, and a new one is moved aside; `free`: no protection.
   */
  readonly commands: 'reserved' | 'closed' | 'free'
  /**
   * Treatment by patches, in every folder: a question with the kind as its reason, or a note in a question with another
   * reason.
   */
  readonly patches: { readonly ask: GuardKind } | { readonly note: string }
}

/** `.git` is handled apart, as git decides where one leads. */
export const autoRunFiles: readonly AutoRunFiles[] = [
  { names: ['.parley'], commands: 'reserved', patches: { ask: 'parley' } },
  { names: ['.vscode', '.idea'], commands: 'reserved', patches: { ask: 'editor' } },
  { names: ['.husky'], commands: 'reserved', patches: { ask: 'gitCommands' } },
  { names: ['.envrc'], commands: 'reserved', patches: { ask: 'shellFolder' } },
  { names: ['.mcp.json'], commands: 'reserved', patches: { ask: 'startsPrograms' } },
  // Settings in them name hooks and aliases, as git's settings do.
  { names: ['.hg', '.jj', '.sl', '.bzr', '.pijul', '_darcs'], commands: 'closed', patches: { ask: 'repository' } },
  {
    names: [
      ...['.zed', '.fleet', '.nova', '.helix', '.theia', '.devcontainer', '.devcontainer.json', '*.code-workspace'],
      ...['.dir-locals.el', '.dir-locals-2.el', '.exrc', '.nvimrc', '.nvim.lua', '.lvimrc', '.lazy.lua'],
      ...['*.sublime-project', '.vim', '.neoconf.json', '.luarc.json', '.vs', '.idx', '.gitpod.yml'],
    ],
    commands: 'closed',
    patches: { ask: 'editor' },
  },
  {
    names: [
      ...['lefthook.yml', 'lefthook.yaml', 'lefthook.toml', 'lefthook.json', 'lefthook-local.*', '.lefthook'],
      ...['.lefthook.yml', '.lefthook.yaml', '.lefthook.toml', '.lefthook.json', '.lefthook-local*'],
      ...['.pre-commit-config.yaml', '.pre-commit-config.yml', 'prek.toml', '.overcommit.yml', 'captainhook.json'],
      ...['lefthook.jsonc', '.lefthook.jsonc', '.local-overcommit.yml', 'hk.pkl', 'hk.local.pkl', '.config/hk.pkl'],
      ...['.config/lefthook.yml', '.config/lefthook.yaml', '.config/lefthook.toml', '.config/lefthook.json'],
      ...['.config/lefthook.jsonc', '.config/lefthook-local.yml', '.config/lefthook-local.yaml'],
      ...['.config/lefthook-local.toml', '.config/lefthook-local.json', '.config/lefthook-local.jsonc'],
    ],
    commands: 'closed',
    patches: { ask: 'gitCommands' },
  },
  {
    names: [
      ...['mise.toml', '.mise.toml', 'mise.local.toml', '.mise.local.toml', 'mise.*.toml', '.mise.*.toml', '.rtx.toml'],
      ...['mise/config.toml', '.mise', '.config/mise', '.config/mise.toml', '.config/mise.local.toml'],
      ...['.autoenv', '.autoenv.zsh', '.env.zsh', '.ondirrc', '.direnv', '.envrc.local', '.miserc.toml'],
      ...['mise/config.local.toml', 'mise/conf.d'],
    ],
    commands: 'closed',
    patches: { ask: 'shellFolder' },
  },
  {
    names: [
      ...['.claude', '.codex', '.cursor', '.gemini', '.opencode', '.windsurf', '.continue', '.roo', '.cline'],
      ...['.kilocode', '.kiro', '.junie', '.trae', '.amazonq', '.augment', '.qwen', '.goose', '.agents', '.factory'],
      ...['opencode.json', 'opencode.jsonc', 'crush.json', '.crush.json', '.aider.conf.yml', '.aider.conf.yaml'],
      ...['.github/hooks', '.github/copilot', '.zencoder', '.rovodev', '.amp', '.pi'],
      ...[
        '.grok',
        '.copilot',
        '.openhands',
        '.agent',
        '.antigravity',
        '.warp',
        '.crush',
        '.iflow',
        '.codebuddy',
        '.mcp',
      ],
      ...['mcp.json', '.gitlab/duo', '.github/skills', '.github/chatmodes'],
    ],
    commands: 'closed',
    patches: { ask: 'agent' },
  },
  {
    names: [
      ...['AGENTS.md', 'AGENTS.override.md', 'AGENT.md', 'CLAUDE.md', 'CLAUDE.local.md', 'GEMINI.md', 'QWEN.md'],
      ...['CRUSH.md', 'WARP.md', '.cursorrules', '.windsurfrules', '.clinerules', '.roorules', '.goosehints', '.rules'],
      ...['.github/copilot-instructions.md', '.github/instructions', '.github/agents', '.github/prompts'],
    ],
    commands: 'closed',
    patches: { ask: 'agent' },
  },
  // Files that run when the user builds, tests or pushes are the work itself: they cause a note and no question.
  {
    names: [
      ...['.github/workflows', '.github/actions', '.gitlab-ci.yml', '.gitlab-ci.yaml', '.travis.yml', '.travis.yaml'],
      ...['azure-pipelines.yml', 'azure-pipelines.yaml', 'bitbucket-pipelines.yml', 'bitbucket-pipelines.yaml'],
      ...['Jenkinsfile', '.drone.yml', '.drone.yaml', 'appveyor.yml', '.circleci', '.buildkite', '.woodpecker'],
      ...['.forgejo', '.gitea', '.ci'],
    ],
    commands: 'free',
    patches: { note: 'CI runs it' },
  },
  {
    names: [
      ...['GNUmakefile', 'makefile', '*.mk', 'justfile', 'Taskfile.yml', 'Taskfile.yaml', 'Rakefile', 'SConstruct'],
      ...['CMakeLists.txt', 'setup.py', 'conftest.py', 'sitecustomize.py', 'noxfile.py', 'build.rs'],
      ...['.cargo/config', '.cargo/config.toml', 'build.gradle', 'build.gradle.kts', 'gradlew', 'mvnw', 'Gemfile'],
      'composer.json',
    ],
    commands: 'free',
    patches: { note: 'build tools run it' },
  },
  {
    names: ['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', '.pnpmfile.cjs', 'deno.json', 'deno.jsonc'],
    commands: 'free',
    patches: { note: 'package managers run what it names' },
  },
  {
    names: ['.lintstagedrc*', 'lint-staged.config.*', '.simple-git-hooks.*', 'simple-git-hooks.*'],
    commands: 'free',
    patches: { note: 'git hooks run what it names' },
  },
  {
    names: [
      ...['Dockerfile', 'Containerfile', 'compose.yml', 'compose.yaml', 'docker-compose.yml', 'docker-compose.yaml'],
      'Vagrantfile',
    ],
    commands: 'free',
    patches: { note: 'containers are built by it' },
  },
  { names: ['.aider*'], commands: 'free', patches: { note: 'another agent obeys it' } },
  {
    names: ['.tool-versions', 'shell.nix', 'flake.nix', '.env'],
    commands: 'free',
    patches: { note: 'shells and tools load it' },
  },
]
