import { resolve } from 'node:path'
import { limitDefaults } from '@parley/config/defaults'
import { isMissing } from '@parley/text'
import { whenUnknown } from '@parley/workspace'
import * as z from 'zod'
import { defineTool, type ToolPorts } from './contract/define-tool.ts'
import type { DescribedCall, PreparedCall, Tool } from './contract/tool.ts'
import { factsOfCommand } from './processes/command-facts.ts'
import type { ToldVariables } from './processes/failure-hints.ts'
import type { BackgroundStart } from './processes/in-background.ts'
import { readPattern } from './processes/output-pattern.ts'
import { followShellCommand, runShellCommand } from './run-shell-command.ts'

const input = z.object({
  command: z
    .union([z.string().min(1), z.array(z.string()).min(1)])
    .describe('A command line for the shell, or the words of one command.'),
  workdir: z.string().optional().describe('Folder to run it in, relative to the working directory.'),
  timeout_ms: z
    .int()
    .min(1)
    .max(3_600_000)
    .optional()
    .describe(`Stop it after this long. Default ${limitDefaults.commandTimeoutMs}.`),
  escalate: z.boolean().optional().describe('Ask the user to run it outside the sandbox. Needs a reason.'),
  network: z.boolean().optional().describe('Ask the user to let it use the network. Needs a reason.'),
  reason: z.string().optional().describe('For escalate and network: one sentence for the user.'),
  background: z
    .boolean()
    .optional()
    .describe(
      'Start it and go on; for servers and watchers. Read its output and wait for it with read_process, type into it with write_process, end it with stop_process. In the sandbox, later commands with the same limits reach a server in it on localhost (its start says if they do not); a command with network: true does not, and the user’s browser only after the user types /forward PORT.',
    ),
  tty: z
    .boolean()
    .optional()
    .describe('With background: give it a terminal, for consoles and programs that behave differently without one.'),
  timeout_s: z
    .number()
    .min(1)
    .max(604_800)
    .optional()
    .describe('With background: end it after so long. Default never.'),
  tell_when: z
    .string()
    .min(1)
    .optional()
    .describe(
      'With background: tell you once, with the next message or result, when it prints this. As for read_process.',
    ),
})

interface ShellInput extends Omit<z.infer<typeof input>, 'command'> {
  /** Command line. */
  readonly command: string
}

export function shellTool(ports: ToolPorts): Tool {
  const told: ToldVariables = new Set()
  return defineTool({
    name: 'shell',
    description:
      'Runs a command line and returns its exit code and output (stdout and stderr together). What it leaves running is stopped when it ends; use background for that.',
    readOnly: false,
    input,
    warmUp: () => warmUp(ports),
    prepare: (call) => prepareShell({ ...call, command: lineOf(call.command) }, { ports, told }),
  })
}

/** Returns a command line; words are quoted, so that the shell takes each as it is. */
function lineOf(command: string | readonly string[]): string {
  return typeof command === 'string' ? command : withoutLogin(command).map(quotedForShell).join(' ')
}

/**
 * Returns the words of a script without the login of its shell, which models add to every command: it would set PATH
 * anew, and lose the programs of an active virtual environment or version manager.
 */
function withoutLogin(words: readonly string[]): readonly string[] {
  const [shell = '', option] = words
  return option === '-lc' && /^(?:.*\/)?(?:ba|z)?sh$/.test(shell) ? [shell, '-c', ...words.slice(2)] : words
}

function quotedForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Starts what would delay the first command by 40 ms. A failure here shows again when the command runs. */
function warmUp({ shellParser, environment }: ToolPorts): void {
  void shellParser.read('')
  environment.secrets().catch(() => undefined)
  environment.commands.warmUp().catch(() => undefined)
}

function prepareShell(
  call: ShellInput,
  { ports, told }: { readonly ports: ToolPorts; readonly told: ToldVariables },
): PreparedCall | { problem: string } {
  const { escalate = false, network = false, reason = '' } = call
  if ((escalate || network) && reason.trim() === '')
    return { problem: `${escalate ? 'escalate' : 'network'} needs a reason: one sentence that tells the user why.` }
  const background = readBackground(call)
  if (background !== null && 'problem' in background) return background
  const { environment } = ports
  const argv = [environment.shell, '-c', call.command]
  const requested = { escalation: escalate ? { reason } : null, ...(network ? { network: { reason } } : {}) }
  return {
    describe: ({ cwd }) => described(call, argv, resolve(cwd, call.workdir ?? '.')),
    facts(workspace) {
      const cwd = resolve(workspace.cwd, call.workdir ?? '.')
      return factsOfCommand(
        { tool: 'shell', argv, cwd, ...requested, background: call.background === true },
        workspace,
        ports,
      )
    },
    follow(context, run) {
      const cwd = resolve(context.cwd, call.workdir ?? '.')
      const timeoutMs = call.timeout_ms ?? limitDefaults.commandTimeoutMs
      return followShellCommand({ argv, cwd, background, timeoutMs, told, ...run }, context, ports)
    },
    async plan(workspace) {
      const cwd = resolve(workspace.cwd, call.workdir ?? '.')
      const found = await findFolder(cwd, environment)
      if ('problem' in found) return found
      const { real, identity } = found
      const { tty, timeout_s, tell_when, timeout_ms: timeoutMs = limitDefaults.commandTimeoutMs } = call
      const limits = { background: background !== null, timeoutMs, tty, timeout_s, tell_when }
      return {
        payload: JSON.stringify({ argv, cwd, real, identity, escalate, network, ...limits }),
        shown: { cwd: real },
        run: (context) =>
          runShellCommand(
            {
              argv,
              cwd: real,
              ...(identity === undefined ? {} : { cwdIdentity: identity }),
              background,
              timeoutMs,
              told,
            },
            context,
            ports,
          ),
      }
    },
  }
}

/** Returns how the command runs in the background; null for one in the foreground, which takes no such options. */
function readBackground(call: ShellInput): BackgroundStart | null | { readonly problem: string } {
  const { tty, timeout_s: timeoutS, tell_when: tellWhen } = call
  const options = Object.entries({ tty: tty === true || undefined, timeout_s: timeoutS, tell_when: tellWhen })
  const [wished] = options.filter(([, value]) => value !== undefined)
  if (call.background !== true) return wished === undefined ? null : { problem: `${wished[0]} needs background: true.` }
  const pattern = tellWhen === undefined ? null : readPattern(tellWhen)
  if (pattern !== null && 'problem' in pattern) return pattern
  return { tty: tty === true, timeoutMs: timeoutS === undefined ? null : timeoutS * 1_000, tellWhen: pattern }
}

interface WorkingFolder {
  readonly real: string
  readonly identity?: string
}

/** Finds the working directory; a problem means that a command could not start there, so that no one is asked. */
async function findFolder(
  cwd: string,
  { files }: ToolPorts['environment'],
): Promise<WorkingFolder | { readonly problem: string }> {
  try {
    const real = await files.realPath(cwd)
    const { kind, identity } = await files.look(real)
    if (kind !== 'folder') return { problem: `Not run: the working directory ${cwd} is not a folder.` }
    return identity === undefined ? { real } : { real, identity }
  } catch (error) {
    if (!isMissing(error)) return whenUnknown({ real: cwd })(error)
    return {
      problem: `Not run: the working directory ${cwd} is not there. Make it first, or name another workdir.`,
    }
  }
}

function described(call: ShellInput, argv: readonly string[], cwd: string): DescribedCall {
  const [firstLine = ''] = call.command.split('\n', 1)
  return {
    type: 'commandExecution',
    kind: 'execute',
    title: firstLine,
    text: call.command,
    command: [...argv],
    cwd,
    ...(call.escalate === true ? { escalation: call.reason ?? '' } : {}),
    ...(call.network === true ? { network: call.reason ?? '' } : {}),
    ...(call.background === true ? { background: true as const } : {}),
  }
}
