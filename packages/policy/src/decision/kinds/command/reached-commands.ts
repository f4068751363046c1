import { baseName } from '../../rules/path-pattern.ts'
import type { SeenCommand } from './facts.ts'

/** Programs and words of the shell that run the command given as their arguments. */
const wrappers = new Set(
  'sudo doas env nice ionice nohup setsid timeout time stdbuf xargs parallel command builtin exec chroot flock strace ltrace watch unshare nsenter busybox toybox systemd-run caffeinate chrt taskset numactl proxychains unbuffer entr coproc noglob nocorrect if then elif else while until do !'.split(
    ' ',
  ),
)
const findActions = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const shells = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish'])
const takesScript = new Set([...shells, 'su', 'runuser', 'script'])
const maxInner = 24

/** Returns the commands that a command may run from its own arguments. Guesses too many rather than too few. */
export function innerCommands(command: SeenCommand): SeenCommand[] {
  const name = programOf(command)
  if (name === 'find') return commandsOfFind(command)
  if (!wrappers.has(name)) return []
  const starts = command.flatMap((word, index) => (index > 0 && startsCommand(word) ? [index] : []))
  return starts.slice(0, maxInner).map((start) => command.slice(start))
}

/** Returns the arguments that a shell reads as a script. */
export function innerScripts(command: SeenCommand): string[] {
  const name = programOf(command)
  const words = command.slice(1)
  if (name === 'eval') return [words.filter((word) => word !== null).join(' ')]
  if (name === 'trap' || name === 'watch') return literal(words[0])
  if (name === 'env') return words.flatMap((word, index) => splitString(word, words[index + 1]))
  if (!takesScript.has(name)) return []
  const option = words.findIndex((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word ?? ''))
  return option < 0 ? [] : literal(words[option + 1])
}

export function isShell(program: string): boolean {
  return shells.has(baseName(program))
}

export function programOf(command: SeenCommand): string {
  return baseName(command[0] ?? '')
}

function startsCommand(word: string | null): boolean {
  return word !== null && !word.startsWith('-') && !word.includes('=')
}

function commandsOfFind(command: SeenCommand): SeenCommand[] {
  return command.flatMap((word, index) => {
    if (!findActions.has(word ?? '')) return []
    const rest = command.slice(index + 1)
    const end = rest.findIndex((candidate) => candidate === ';' || candidate === '+')
    return [end < 0 ? rest : rest.slice(0, end)]
  })
}

function splitString(word: string | null, next: string | null | undefined): string[] {
  if (word === null) return []
  if (word === '-S' || word === '--split-string') return literal(next)
  const attached = /^(?:-S|--split-string=)(.+)$/s.exec(word)
  return literal(attached?.[1])
}

function literal(word: string | null | undefined): string[] {
  return word === null || word === undefined ? [] : [word]
}
