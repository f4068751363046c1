import { type Command, Option } from 'commander'
import { collectList, colourChoices, named } from '../cli/flags.ts'

/** Adds flags of Codex for what there is here under another name. They are not in the help. */
export function withCodexFlags(command: Command): Command {
  command.on('option:yolo', () => command.setOptionValue('dangerouslyBypassApprovalsAndSandbox', true))
  return command
    .addOption(hidden('--dangerously-bypass-approvals-and-sandbox', '-s danger-full-access -a never'))
    .addOption(hidden('--yolo', 'the same'))
    .addOption(hidden('--full-auto', '-s workspace-write -a on-request'))
    .addOption(hidden('--oss', '-c model_provider=ollama'))
    .addOption(hidden('--local-provider <name>', '-c model_provider=NAME').argParser(named))
}

/** Adds flags of `codex exec` that callers give and that change nothing here. They are not in the help. */
export function withCodexExecFlags(command: Command): Command {
  return command
    .addOption(hidden('--color <when>', 'nothing that exec writes is coloured').choices(colourChoices))
    .addOption(hidden('--enable <feature>', 'a feature of Codex').argParser(collectList))
    .addOption(hidden('--disable <feature>', 'a feature of Codex').argParser(collectList))
    .addOption(hidden('--cyber-access-program <name>', 'for callers of Codex; it has no effect here'))
}

function hidden(flags: string, meaning: string): Option {
  return new Option(flags, meaning).hideHelp()
}
