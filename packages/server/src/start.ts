import './uncompiled-schemas.ts'
import { argumentsAfter } from './arguments-after.ts'
import { ripgrepPath } from './ripgrep-path.ts'
import { readServerOptions } from './server-options.ts'
import { serveProcess } from './server-process.ts'
import { launchDaemon } from './serving/launch-daemon.ts'
import { readServerArguments } from './serving/read-arguments.ts'
import { UsageProblem } from './serving/usage-problem.ts'
import { systemParts } from './system-parts.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const usageExitCode = 2

process.exit(await run())

async function run(): Promise<number> {
  try {
    const args = readServerArguments(argumentsAfter('server'))
    const built = { moduleUrl: import.meta.url, version: PARLEY_VERSION, build: PARLEY_BUILD, ripgrep: ripgrepPath() }
    const options = readServerOptions(args, process.env, built)
    if (args.role === 'launcher') return await launchDaemon(options)
    // A daemon keeps no folder in use; its arguments were made absolute.
    if (args.isDaemon) process.chdir('/')
    return await serveProcess(systemParts(options), args)
  } catch (error) {
    if (!(error instanceof UsageProblem)) throw error
    process.stderr.write(`parley server: ${error.message}\n`)
    return usageExitCode
  }
}
