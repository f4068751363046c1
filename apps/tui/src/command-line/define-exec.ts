import { showEffects } from '@parley/presentation/text/control-characters'
import { type Severity, severities } from '@parley/protocol'
import { type Command, Option } from 'commander'
import { misused } from '../cli/exit-codes.ts'
import {
  collectList,
  type ExecFlags,
  inputFormats,
  named,
  outputFormatOf,
  outputFormats,
  parseCount,
  parseDollars,
  parseDuration,
} from '../cli/flags.ts'
import type { Launch } from '../cli/launch-server.ts'
import { execHelp, reviewHelp } from '../cli/messages.ts'
import type { NamedOrLast, Target } from '../scripted/open-target.ts'
import type { ReviewRequest } from '../scripted/review/review-message-of.ts'
import { flagsOf, type Settle, withCodexExecFlags, withCommonFlags, withImages } from './shared-options.ts'
import { withoutEffectWarnings } from './usage-errors.ts'

/** Defines `exec`, `exec resume`, `exec fork` and `exec review`. */
export function defineExec(program: Command, launch: Launch, settle: Settle): void {
  const run = (prompt: string | undefined, flags: ExecFlags, target: Target) => {
    for (const warning of withoutEffectWarnings(flags)) launch.streams.stderr.write(`parley: ${showEffects(warning)}\n`)
    return settle(
      import('../scripted/run-exec.ts').then(({ runExec }) =>
        runExec(launch, { prompt: prompt ?? null, flags, target }),
      ),
    )
  }
  const exec = withExecFlags(program.command('exec [prompt]'))
    .enablePositionalOptions()
    .description('one turn without a terminal; the prompt comes from the argument, or from stdin')
    .helpCommand(false)
    .addHelpText('after', execHelp)
    .action((prompt: string | undefined, _flags: unknown, command: Command) =>
      run(prompt, flagsOf<ExecFlags>(command), { kind: 'new' }),
    )
  withExecFlags(exec.command('resume').argument('[id]', '', named).argument('[prompt]'))
    .description(
      'one more turn of a conversation: id, unique part of one, or name. One that is open elsewhere is joined',
    )
    .option('--last', lastHelp)
    .action((id: string | undefined, prompt: string | undefined, _flags: unknown, command: Command) => {
      const flags = flagsOf<ExecFlags & { last?: boolean }>(command)
      const which = whichOne(id, prompt, flags.last === true)
      refuseEphemeral(flags, 'this one is kept already')
      return run(which.prompt, flags, { kind: 'resume', ...which.kept })
    })
  withExecFlags(exec.command('fork').argument('[id]', '', named).argument('[prompt]'))
    .description('one turn in a new conversation that begins as a copy of another one')
    .option('--last', lastHelp)
    .option('--at <seq>', 'the last event to take over; the newest when left out', parseCount(1))
    .action((id: string | undefined, prompt: string | undefined, _flags: unknown, command: Command) => {
      const flags = flagsOf<ExecFlags & { at?: number; last?: boolean }>(command)
      const which = whichOne(id, prompt, flags.last === true)
      refuseEphemeral(flags, 'a copy is kept')
      return run(which.prompt, flags, { kind: 'fork', ...which.kept, at: flags.at ?? null })
    })
  defineReview(exec, launch, settle)
}

function defineReview(exec: Command, launch: Launch, settle: Settle): void {
  withExecFlags(exec.command('review').argument('[focus]', 'what matters, in words'))
    .description('a review of what is not committed, a branch, commits or a patch; nothing is changed')
    .option('--base <branch>', 'all since this branch was left, committed or not', named)
    .option('--commit <range>', 'a commit, or a range A..B', named)
    .option('--patch <file>', 'a patch, - for stdin; it need not be applied here', named)
    .addOption(
      new Option('--fail-on <severity>', 'exit with 10 for findings of this severity or a graver one')
        .choices([...severities, 'never'])
        .default('high'),
    )
    .option('--sarif', 'write the findings to stdout as SARIF 2.1.0, for code hosts')
    .addHelpText('after', reviewHelp)
    .action((focus: string | undefined, _flags: unknown, command: Command) => {
      const flags = flagsOf<ExecFlags & ReviewFlags>(command)
      const review = { of: reviewedOf(flags), focus: focus ?? '', failOn: flags.failOn }
      return settle(
        import('../scripted/run-exec.ts').then(({ runExec }) =>
          runExec(launch, { prompt: null, flags, target: { kind: 'new' }, review }),
        ),
      )
    })
}

interface ReviewFlags {
  readonly base?: string
  readonly commit?: string
  readonly patch?: string
  readonly failOn: Severity | 'never'
}

/** Returns the object of the review. Throws a usage error for flags that contradict each other. */
function reviewedOf({ base, commit, patch, ...flags }: ReviewFlags & ExecFlags): ReviewRequest['of'] {
  if ([base, commit, patch].filter((value) => value !== undefined).length > 1)
    throw misused('Give one of --base, --commit and --patch.')
  if (flags.inputFormat === 'jsonl' || flags.stdin === true || flags.outputSchema !== undefined)
    throw misused('A review has its own message and form: leave out --input-format jsonl, --stdin and --output-schema.')
  if (flags.check !== undefined)
    throw misused('A review changes nothing, so there is nothing to check: leave out --check.')
  if (flags.sarif === true && outputFormatOf(flags) !== 'text')
    throw misused('Give --sarif or another output format, not both.')
  if (base !== undefined) return { kind: 'branch', base }
  if (commit !== undefined) return { kind: 'commits', range: commit }
  return patch === undefined ? { kind: 'workTree' } : { kind: 'patch', file: patch }
}

const lastHelp = 'the newest conversation, of this folder if there is one; the only argument is the prompt'

/** Returns the conversation and the prompt: with `--last` the first word is the prompt. */
function whichOne(
  id: string | undefined,
  prompt: string | undefined,
  last: boolean,
): { kept: NamedOrLast; prompt: string | undefined } {
  if (last && prompt !== undefined) throw misused('Give an id or --last, not both.')
  if (last) return { kept: { last: true }, prompt: id }
  if (id === undefined) throw misused('Which conversation? Give its id, or --last; `parley list` shows them.')
  return { kept: { last: false, id }, prompt }
}

function refuseEphemeral({ ephemeral }: ExecFlags, why: string): void {
  if (ephemeral === true) throw misused(`--ephemeral is for new conversations; ${why}.`)
}

function withExecFlags(command: Command): Command {
  command.on('option:output-last-message', (file: string) => command.setOptionValue('output', file))
  return withCodexExecFlags(withImages(withCommonFlags(command)))
    .addOption(new Option('--output-format <format>', 'what stdout is for; text when left out').choices(outputFormats))
    .option('--json', 'the same as --output-format json: events as lines, as the server sends them')
    .option('--experimental-json', 'the same as --output-format codex: the lines that the Codex SDK reads')
    .addOption(
      new Option(
        '--input-format <format>',
        'what stdin is for; jsonl: messages and answers, one JSON object a line, while it runs',
      ).choices(inputFormats),
    )
    .option('--output-schema <file>', 'a JSON Schema that the final message must satisfy', named)
    .option('-o, --output <file>', 'write the final message to a file, only on success', named)
    .addOption(new Option('--output-last-message <file>', 'the same, for callers of Codex').argParser(named).hideHelp())
    .option('--policy <file>', 'rules that answer approvals; what they leave open is denied', named)
    .option(
      '--check <command>',
      'run this when the model says that it is done, and send it back to work while it fails; repeatable',
      collectList,
    )
    .option(
      '--check-rounds <count>',
      'how often the model may mend what the checks find; 3 when left out',
      parseCount(0),
    )
    .option('--repair', 'leave out what the provider refuses and names, and go on; /compact undo brings it back')
    .option('--answers <file>', 'answers to questions of the model, as JSON: {"HEADER": "ANSWER"}', named)
    .option('--stdin', 'append stdin to the prompt')
    .option('--timeout <duration>', 'give up after this long: 90, 90s, 5m', parseDuration)
    .option('--max-turns <count>', 'stop before another model call after this many', parseCount(1))
    .option('--max-tokens <count>', 'the same after this many tokens, input and output together', parseCount(1))
    .option('--max-cost <dollars>', 'the same after this cost; the price of the model must be known', parseDollars)
    .option('--record <file>', 'append what the model says to a file, for playing back', named)
    .option('--thread-source <name>', 'who sends the prompt, for the log', named)
    .option('--skip-git-repo-check', 'for callers of Codex; parley has no such check')
}
