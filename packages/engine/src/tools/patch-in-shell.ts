import { isAbsolute, join } from 'node:path'

/** Command as the model gives it to the shell tool. */
export interface ShellCommand {
  readonly command: string | readonly string[]
  readonly workdir: string
}

/** `none`: no patch in it; `unclear`: a patch, beside other things that a shell would do. */
export type PatchInCommand = { readonly kind: 'none' | 'unclear' } | { readonly kind: 'patch'; readonly patch: string }

const program = '(?:apply_patch|applypatch)'
const runsProgram = new RegExp(
  String.raw`^${program}\s|^(?:cat|echo)\s[^\n]*\|\s*${program}\b|\n[^\n]*\|\s*${program}\s*$`,
)
const startsPatch = /\*\*\* Begin Patch|^diff --git |^--- \S.*\n\+\+\+ /m
const changeOfFolder = /^cd\s+(?:'([^'\n]+)'|"([^"$`\\\n]+)"|([\w./@+-]+))\s*&&\s*/
const heredoc = new RegExp(String.raw`^${program}\s*<<-?\s*(['"]?)(\w+)\1[^\S\n]*\n([\s\S]*\n)[^\S\n]*\2\s*$`)
const piped = new RegExp(String.raw`^cat\s*<<-?\s*(['"]?)(\w+)\1\s*\|\s*${program}[^\S\n]*\n([\s\S]*\n)[^\S\n]*\2\s*$`)
const pipedText = new RegExp(String.raw`^echo\s+'([^']+)'\s*\|\s*${program}\s*$`)
const quoted = new RegExp(String.raw`^${program}\s+(?:'([^']+)'|"([^"$\`\\]+)")\s*$`)

/**
 * Finds a patch that a command would hand to a program `apply_patch`, which models know from elsewhere and which does not
 * exist here. Its paths are made relative to the folder of the conversation.
 */
export function patchInCommand({ command, workdir }: ShellCommand): PatchInCommand {
  const [first = '', second = '', third = ''] = typeof command === 'string' ? [] : command
  if (typeof command !== 'string' && command.length === 2 && new RegExp(`^${program}$`).test(first))
    return { kind: 'patch', patch: inFolder(second, workdir) }
  const isShell = /^(?:.*\/)?(?:ba|z|da)?sh$/.test(first) && /^-l?c$/.test(second)
  if (typeof command !== 'string') return isShell && command.length === 3 ? patchInScript(third, workdir) : none
  return patchInScript(command, workdir)
}

const none: PatchInCommand = { kind: 'none' }

function patchInScript(script: string, workdir: string): PatchInCommand {
  const trimmed = script.trim()
  const [entering = '', single, double, bare] = changeOfFolder.exec(trimmed) ?? []
  const rest = trimmed.slice(entering.length)
  if (!startsPatch.test(rest) || !runsProgram.test(rest)) return none
  const argument = quoted.exec(rest) ?? pipedText.exec(rest)
  const patch = (heredoc.exec(rest) ?? piped.exec(rest))?.[3] ?? argument?.slice(1).find((text) => text !== undefined)
  const entered = single ?? double ?? bare ?? '.'
  const folder = isAbsolute(entered) ? entered : join(workdir, entered)
  // The paths of git's diffs look like lines that are removed and added.
  if (patch === undefined || (gitPaths.test(patch) && join(folder) !== '.')) return { kind: 'unclear' }
  return { kind: 'patch', patch: inFolder(patch, folder) }
}

const gitPaths = /^diff --git |^--- \S.*\n\+\+\+ \S.*\n@@ /m
const headers = /^(\*\*\* (?:Add File|Delete File|Update File|Move to):\s*)(\S.*)$/gm

/** Puts a folder before the relative paths of a patch. */
function inFolder(patch: string, folder: string): string {
  if (join(folder) === '.') return patch
  return patch.replace(headers, (_line, header: string, path: string) => {
    return path.startsWith('/') ? `${header}${path}` : `${header}${join(folder, path)}`
  })
}
