import { basename } from 'node:path'
import { startsItsWords } from '@parley/host'

/** Form of a command line with a certain beginning of the server's arguments. */
interface LaunchForm {
  readonly program: RegExp
  /** Pattern of the words after the program, with NUL between them, up to the started script or package. */
  readonly words: RegExp
  /** Words with a slash that are no paths. */
  readonly names: RegExp
}

const name = String.raw`[\w~][\w.~-]*`
const version = String.raw`(?:\[[\w,-]+\])?(?:(?:@|==)[\w.^~*-]+)?`
const packageName = `(?:@${name}/)?${name}${version}`
const image = String.raw`[a-z0-9][\w.-]*(?::\d+)?(?:/[a-z0-9][\w.-]*)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]+)?`
const path = String.raw`/[^\0]*`
const anything = String.raw`[^\0]*`
const names = new RegExp(`^(?:(?:npm|jsr):)?${packageName}$`)

function form(program: string, ...words: readonly string[]): LaunchForm {
  return { program: new RegExp(`^(?:${program})$`), words: new RegExp(`^${words.join('')}(?:\0|$)`), names }
}

const runner = String.raw`(?:(?:-y|--yes|-q|--quiet|--)\0|(?:-p\0|--package[\0=])${packageName}\0)*${packageName}`
const fromPython = String.raw`(?:--from[\0=](?:${packageName}|git\+https://[^\0]+)\0|--with[\0=]${packageName}\0|--python[\0=][\d.]+\0)*${packageName}`
const inFolder = String.raw`(?:(?:--directory|--project)[\0=]${path}\0)`
const container = String.raw`(?:(?:-i|-t|-it|--rm|--init|--interactive|--pull=\w+)\0|(?:-e\0|--env[\0=]|-v\0|--volume[\0=]|--mount[\0=]|--name[\0=]|--network[\0=]|-p\0)${anything}\0)*`

const forms: readonly LaunchForm[] = [
  form('npx|pnpx|bunx', runner),
  form('npm', String.raw`(?:exec|x)\0`, runner),
  form('pnpm|yarn', String.raw`dlx\0`, packageName),
  form('bun', String.raw`x\0`, packageName),
  form('bun', String.raw`(?:run\0)?`, path),
  form('deno', String.raw`run\0(?:(?:-A|--allow-[\w=,-]+)\0)*`, `(?:(?:npm|jsr):${packageName}|${path})`),
  form('uvx', fromPython),
  form('uv', String.raw`tool\0run\0`, fromPython),
  form('pipx', String.raw`run\0`, packageName),
  form('uv', inFolder, String.raw`*run\0`, inFolder, `*(?:${name}|${path})`),
  form(
    'node|nodejs',
    String.raw`(?:(?:--no-warnings|--no-deprecation|--enable-source-maps|--experimental-strip-types|--max-old-space-size=\d+)\0)*`,
    path,
  ),
  form(String.raw`(?:python|pypy)[\d.]*`, String.raw`(?:-[uBIsEO]+\0)*`, String.raw`(?:-m\0[A-Za-z_][\w.]*|${path})`),
  form(String.raw`(?:a|ba|da|fi|k|mk|z)?sh|tsx|ts-node|ruby|perl|php|lua[\d.]*|dotnet`, path),
  form('java', String.raw`(?:-X[\w:+=-]+\0)*-jar\0`, path),
  { ...form('docker|podman', String.raw`run\0`, container, image), names: new RegExp(`^${image}$`) },
]

/** Further programs that start programs which they find in a folder, or which one of their words names. */
const startsWhatItFinds = new RegExp(
  `^(?:${[
    'find|fd|fdfind|git|hg|svn|ninja|cmake|meson|just|task|rake|ant|gradlew?|mvnw?|sbt|cargo|bazel|bazelisk|nix|nix-shell',
    'docker|podman|nerdctl|docker-compose|vi|vim|nvim|ex|view|emacs|emacsclient|nano|less|more|man|code|cursor|codium',
    'tmux|screen|script|ssh|scp|rsync|socat|flock|chroot|bwrap|firejail|gdb|lldb|valgrind|perf|xvfb-run|dbus-run-session',
    'at|batch|open|xdg-open|tar|zip|sqlite3|psql|nodemon|ts-node-dev|vite-node|jiti|esno|zx|concurrently|npm-run-all',
    'turbo|nx|lerna|tsc|eslint|jest|vitest|mocha|webpack|vite|rollup|gulp|grunt|composer|tox|nox|invoke|fab|ipython|jupyter',
    'pytest|unittest|doctest|pdb|runpy|cProfile|profile|trace|timeit|pip|flask|uvicorn|gunicorn|rails|rspec',
    'terraform|tofu|ansible|ansible-playbook|vagrant|cmd|powershell',
  ].join('|')})$`,
  'i',
)

/** Words of a command line, cut where the arguments of the server begin. */
export interface LaunchWords {
  /** Words up to the script or package that is started, without its name where that is no path. */
  readonly choosing: readonly string[]
  readonly serverArgs: readonly string[]
}

/**
 * Cuts a command line where the arguments of the server begin. Returns null where that is not certain: for a program that
 * starts others, or files that it finds, in an unknown form. `real` is the program behind all links.
 */
export function launchWords([command = '', ...args]: readonly string[], real: string): LaunchWords | null {
  const program = basename(command)
  const text = args.join('\0')
  const fitting = forms.find(({ program: pattern, words }) => pattern.test(program) && words.test(text))
  if (fitting === undefined)
    return [command, real].some(startsAnything) || args.some((word) => startsItsWords(basename(word)))
      ? null
      : { choosing: [command], serverArgs: args }
  const [matched = ''] = fitting.words.exec(text) ?? []
  const choosing = matched.replace(/\0$/, '').split('\0')
  if (startsAnything(choosing.at(-1) ?? '')) return null
  const words = [command, ...choosing.filter((word) => !fitting.names.test(word))]
  return { choosing: words, serverArgs: args.slice(choosing.length) }
}

function startsAnything(word: string): boolean {
  const program = basename(word).replace(/^(?:npm|jsr):|(?:\[|@|==).*$/gs, '')
  return startsItsWords(program) || startsWhatItFinds.test(program)
}
