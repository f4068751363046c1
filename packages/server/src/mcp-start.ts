import './uncompiled-schemas.ts'
import { argumentsAfter } from './arguments-after.ts'
import { readMcpArguments } from './faces/mcp/read-mcp-arguments.ts'
import { runMcpServer } from './faces/mcp/run-mcp-server.ts'
import { ripgrepPath } from './ripgrep-path.ts'
import { readServerOptions } from './server-options.ts'
import { UsageProblem } from './serving/usage-problem.ts'
import { systemParts } from './system-parts.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const usageExitCode = 2

process.exit(await run())

async function run(): Promise<number> {
  try {
    const args = readMcpArguments(argumentsAfter('mcp-server'))
    const built = { moduleUrl: import.meta.url, version: PARLEY_VERSION, build: PARLEY_BUILD, ripgrep: ripgrepPath() }
    const options = readServerOptions({ paced: true, recordTo: null }, process.env, built)
    return await runMcpServer(systemParts(options), args)
  } catch (error) {
    if (!(error instanceof UsageProblem)) throw error
    process.stderr.write(`parley mcp-server: ${error.message}\n`)
    return usageExitCode
  }
}
