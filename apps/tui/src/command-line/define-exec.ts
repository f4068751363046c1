import { type Command, Option } from 'commander'
import { misused } from '../cli/exit-codes.ts'
import { type ExecFlags, outputFormats, parseDuration } from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import { execHelp } from '../cli/messages.ts'
import type { Resumption } from '../scripted/exec-run.ts'
import { flagsOf, type Settle, withCommonFlags, withImages } from './shared-options.ts'

/** Defines `exec` and `exec resume`. */
export function defineExec(program: Command, launch: Launch, settle: Settle): void {
  const run = (prompt: string | undefined, flags: ExecFlags, resume: Resumption | null) =>
    settle(
      import('../scripted/run-exec.ts').then(({ runExec }) =>
        runExec(launch, { prompt: prompt ?? null, flags, resume }),
      ),
    )
  const exec = withExecFlags(program.command('exec [prompt]'))
    .enablePositionalOptions()
    .description('one turn without a terminal; the prompt comes from the argument, or from stdin')
    .helpCommand(false)
    .addHelpText('after', execHelp)
    .action((prompt: string | undefined, _flags: unknown, command: Command) =>
      run(prompt, flagsOf<ExecFlags>(command), null),
    )
  withExecFlags(exec.command('resume [id] [prompt]'))
    .description('one more turn of a conversation: id, unique part of one, or name')
    .option('--last', 'the newest conversation, of this folder if there is one; the only argument is the prompt')
    .action((id: string | undefined, prompt: string | undefined, _flags: unknown, command: Command) => {
      const flags = flagsOf<ExecFlags & { last?: boolean }>(command)
      const { resume, ...rest } = whichOne({ id, prompt, last: flags.last === true })
      if (flags.ephemeral === true) throw misused('--ephemeral is for new conversations; this one is kept already.')
      return run(rest.prompt, flags, resume)
    })
}

interface ResumeWords {
  readonly id: string | undefined
  readonly prompt: string | undefined
  readonly last: boolean
}

/** Returns the conversation and the prompt: with `--last` the first word is the prompt. */
function whichOne({ id, prompt, last }: ResumeWords): { resume: Resumption; prompt: string | undefined } {
  if (last && prompt !== undefined) throw misused('Give an id or --last, not both.')
  if (last) return { resume: { last: true }, prompt: id }
  if (id === undefined) throw misused('Which conversation? Give its id, or --last; `parley list` shows them.')
  return { resume: { last: false, id }, prompt }
}

function withExecFlags(command: Command): Command {
  return withImages(withCommonFlags(command))
    .addOption(new Option('--output-format <format>', 'what stdout is for; text when left out').choices(outputFormats))
    .option('--json', 'the same as --output-format json: events as lines, as the server sends them')
    .option('--experimental-json', 'the same as --output-format codex: the lines that the Codex SDK reads')
    .option('--output-schema <file>', 'a JSON Schema that the final message must satisfy')
    .option('-o, --output <file>', 'write the final message to a file, only on success')
    .option('--policy <file>', 'rules that answer approvals; what they leave open is denied')
    .option('--stdin', 'append stdin to the prompt')
    .option('--timeout <duration>', 'give up after this long: 90, 90s, 5m', parseDuration)
    .option('--record <file>', 'append what the model says to a file, for playing back')
    .option('--thread-source <name>', 'who sends the prompt, for the log')
    .option('--skip-git-repo-check', 'for callers of Codex; parley has no such check')
    .addOption(new Option('--cyber-access-program <name>', 'for callers of Codex; it has no effect here').hideHelp())
}
