import type { Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import { ParleyError } from './parley-error.ts'
import type { serverPrograms } from './server-program.ts'

type ServerProgram = (typeof serverPrograms)[number]

/** The servers' help. Each reads its own arguments; `bin` starts it when its name comes first. */
export function defineServers(program: Command): void {
  define(program, 'server', 'the conversation JSON-RPC server on stdio; docs/protocol describes it').option(
    '--record <file>',
    'write down what models say, for playing back',
  )
  define(program, 'mcp-server', 'the same engine as an MCP server on stdio')
  define(program, 'exec-server', 'runs processes for a client over JSON-RPC on stdio')
}

function define(program: Command, name: ServerProgram, description: string): Command {
  return program
    .command(name)
    .description(description)
    .action(() => {
      throw new ParleyError('usage', exitCodes.usage, `Its name comes first: parley ${name} …, then its flags.`)
    })
}
