import { beginMarker } from './parse-patch.ts'

export type Invocation =
  | {
      readonly kind: 'patch'
      readonly patch: string /** What `cd` named before it, as written. */
      readonly dir: string | null
    }
  | { readonly kind: 'error'; readonly message: string }

const commandNames = ['apply_patch', 'applypatch']
const scriptShells: ReadonlyArray<{ readonly names: readonly string[]; readonly flags: readonly string[] }> = [
  { names: ['bash', 'zsh', 'sh', 'dash'], flags: ['-lc', '-c'] },
  { names: ['powershell', 'pwsh'], flags: ['-command', '-c'] },
  { names: ['cmd'], flags: ['/c'] },
]

const heredoc = new RegExp(
  [
    /^\s*/,
    // cd with one plain or quoted word; nothing in it that a shell would expand
    /(?:cd[^\S\n]+(?:'(?<single>[^'\n]+)'|"(?<double>[^"$`\\\n]+)"|(?<bare>[\w./@%+=:,][\w./@%+=:,~-]*))[^\S\n]*&&\s*)?/,
    /(?:apply_patch|applypatch)[^\S\n]*<<[^\S\n]*(?<quote>['"]?)(?<word>\w+)\k<quote>[^\S\n]*\r?\n/,
    /(?<rest>[\s\S]*)$/,
  ]
    .map(({ source }) => source)
    .join(''),
)

/** Tells whether an argument list is a way to call `apply_patch`; null when it is another command. */
export function recogniseInvocation(argv: readonly string[]): Invocation | null {
  const [program, ...args] = argv
  if (program === undefined) return null
  if (commandNames.includes(program)) return argumentOf(args)
  if (argv.length === 1) return isRawPatch(program) ? rawPatchError() : null
  const script = scriptOf(program, args)
  return script === null ? null : recogniseScript(script)
}

/** The same for the whole text of a shell script: `[cd DIR &&] apply_patch <<'WORD' … WORD` and nothing else. */
export function recogniseScript(script: string): Invocation | null {
  if (isRawPatch(script)) return rawPatchError()
  const { single, double, bare, word, rest } = heredoc.exec(script)?.groups ?? {}
  if (word === undefined || rest === undefined) return null
  const patch = bodyBefore(rest, word)
  return patch === null ? null : { kind: 'patch', patch, dir: single ?? double ?? bare ?? null }
}

function argumentOf(args: readonly string[]): Invocation {
  const [patch] = args
  if (patch !== undefined && args.length === 1) return { kind: 'patch', patch, dir: null }
  return { kind: 'error', message: `apply_patch takes one argument, the patch; it got ${args.length}.` }
}

function scriptOf(program: string, args: readonly string[]): string | null {
  const name = program
    .replace(/^.*[/\\]/, '')
    .toLowerCase()
    .replace(/\.exe$/, '')
  const shell = scriptShells.find(({ names }) => names.includes(name))
  const [flag = '', script, ...more] = args[0]?.toLowerCase() === '-noprofile' ? args.slice(1) : args
  if (shell === undefined || script === undefined || more.length > 0) return null
  return shell.flags.includes(flag.toLowerCase()) ? script : null
}

/** The heredoc's body, if its closing word is the last thing in the script. */
function bodyBefore(rest: string, word: string): string | null {
  const lines = rest.split('\n')
  const end = lines.findIndex((line) => line.replace(/\r$/, '') === word)
  if (end === -1 || lines.slice(end + 1).some((line) => line.trim() !== '')) return null
  return lines.slice(0, end).join('\n')
}

function isRawPatch(text: string): boolean {
  return text.trimStart().startsWith(beginMarker)
}

function rawPatchError(): Invocation {
  return { kind: 'error', message: 'A patch is not a command: give it to apply_patch.' }
}
