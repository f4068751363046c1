import './uncompiled-schemas.ts'
import { argumentsAfter } from './arguments-after.ts'
import { type ExecOptions, readExecOptions } from './faces/exec/exec-options.ts'
import { runExecServer } from './faces/exec/run-exec-server.ts'

declare const PARLEY_VERSION: string

const usageExitCode = 2

let options: ExecOptions
try {
  options = readExecOptions(argumentsAfter('exec-server'))
} catch (error) {
  process.stderr.write(`parley exec-server: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(usageExitCode)
}
process.exit(await runExecServer(options, PARLEY_VERSION))
