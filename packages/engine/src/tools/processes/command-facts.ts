import { commandEnv } from '@parley/host'
import { type CommandCall, type CommandFacts, gatherCommandFacts } from '@parley/policy'
import { fileSurroundings, type ToolPorts } from '../contract/define-tool.ts'
import type { Workspace } from '../contract/tool.ts'

/** Gathers the facts of a command where the conversation's commands run. */
export async function factsOfCommand(
  call: CommandCall,
  workspace: Workspace,
  { environment, envRules, shellParser }: ToolPorts,
): Promise<CommandFacts> {
  const { roots, secrets, files } = await fileSurroundings(environment, workspace)
  const searchPath = commandEnv(environment.env, envRules)['PATH'] ?? ''
  return gatherCommandFacts(call, { roots, searchPath, secrets, shell: shellParser, files })
}
