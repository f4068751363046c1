const plain = /^[\w.:@,+ -]*$/
const word = /^[\w.:*,=@-]*$/

/**
 * Variables with values that choose no code; `names` is a pattern for any case. `isAddress`: the row does not hold for
 * programs that fetch other programs, since their address chooses code.
 */
const rows: readonly { readonly names: string; readonly values: RegExp; readonly isAddress?: true }[] = [
  // Presented to a service, and compared there.
  {
    names: '(?:\\w+_)?(?:TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASS|PWD|PAT|SECRET_KEY_BASE)|PGPASSWORD|(?:\\w+_)?API_?KEY',
    values: /^/,
  },
  // Where a service answers. A URL of JDBC names classes and scripts to load.
  {
    names: '(?:\\w+_)?(?:URL|URI|HOST|HOSTNAME|ENDPOINT|DOMAIN|ORIGIN|ADDRESS)|PGHOST',
    values: /^(?!jdbc:)[^\s`$(){}|<>\\"';]*$/i,
    isAddress: true,
  },
  { names: '(?:\\w+_)?PORT|PGPORT', values: /^\d{0,5}$/ },
  // Users, and parts of a service.
  {
    names: `(?:\\w+_)?(?:${[
      'ID|IDS|USER|USERNAME|EMAIL|ACCOUNT|ORG|ORGANIZATION|TEAM|TENANT|WORKSPACE|PROJECT|OWNER|GROUP|CHANNEL',
      'REGION|ZONE|LOCALE|MODEL|DATABASE|DB|SCHEMA|COLLECTION|BUCKET|QUEUE|TOPIC|VERSION|API_VERSION',
    ].join('|')})|PGUSER|PGDATABASE`,
    values: plain,
  },
  // Content and form of a log.
  {
    names:
      '(?:\\w+_)?(?:LOG_?LEVEL|LOG_?FORMAT|DEBUG|VERBOSE|QUIET)|RUST_LOG|RUST_BACKTRACE|NO_COLOR|FORCE_COLOR|COLORTERM',
    values: word,
  },
  // Numbers, switches and words of the server itself.
  {
    names: '(?:\\w+_)?(?:TIMEOUT|TIMEOUT_MS|TIMEOUT_SECONDS|LIMIT|RETRIES|READ_?ONLY|ENABLED|DISABLED|MODE|TRANSPORT)',
    values: word,
  },
  { names: 'NODE_ENV|CI|DO_NOT_TRACK|PYTHONUNBUFFERED|PYTHONIOENCODING|PYTHONUTF8', values: word },
  { names: 'LANG|LANGUAGE|LC_[A-Z]+', values: /^[\w.:@-]*$/ },
  // A path with a file of rules has another form.
  { names: 'TZ', values: /^[A-Za-z_+-]*(?:\/[A-Za-z_+-]+)*[\d:]*$/ },
  // File of the memory server of the protocol's own project.
  { names: 'MEMORY_FILE_PATH', values: /^/ },
]

/** Beginnings of names that give programs the source of code to fetch or start; they are no harmless addresses. */
const fetching = new RegExp(
  `^(?:${[
    'NPM|YARN|PNPM|BUN|DENO|JSR|NODE|NODEJS|COREPACK|NVM|FNM|VOLTA|ELECTRON|PUPPETEER|PLAYWRIGHT|CYPRESS|PRISMA|SHARP|ESBUILD',
    'SE|SELENIUM|CHROME|CHROMEDRIVER|PIP|PIPX|UV|POETRY|PDM|CONDA|MAMBA|PIXI|PYENV|PYTHON|HF|HUGGINGFACE|TRANSFORMERS|TORCH',
    'CARGO|RUSTUP|GO|GEM|BUNDLE|RUBY|COMPOSER|PHP|PERL|MAVEN|MVN|MVNW|GRADLE|SBT|COURSIER|JBANG|JAVA|JDK|DOTNET|NUGET',
    'HEX|MIX|PUB|DART|FLUTTER|CRAN|R|JULIA|MISE|ASDF|SDKMAN|HOMEBREW|NIX|DOCKER|CONTAINER|PODMAN|BUILDKIT|HELM|TF|TERRAFORM',
    'BAZEL|BAZELISK|GIT|SSH|LD|DYLD|PARLEY',
  ].join(
    '|',
  )})_|DOWNLOAD|MIRROR|REGISTRY|INDEX|PROXY|REPO|DIST_|PACKAGE|PLUGIN|EXTENSION|UPDATE|INSTALL|CDN|JDBC|SCRIPT`,
  'i',
)

const compiled = rows.map((row) => ({ ...row, pattern: new RegExp(`^(?:${row.names})$`, 'i') }))

/**
 * Tells if a variable is known to choose no code, by its name and the form of its value. Any other is taken to do so:
 * nobody can list all variables by which programs find others. A name that is no identifier may hold a function of a shell.
 */
export function choosesNoCode(name: string, value: string): boolean {
  if (!/^[A-Za-z_]\w*$/.test(name) || /^npm_config_/i.test(name)) return false
  return compiled.some(
    ({ pattern, values, isAddress = false }) =>
      pattern.test(name) && values.test(value) && !(isAddress && fetching.test(name)),
  )
}
