import './uncompiled-schemas.ts'
import { readExecOptions } from './faces/exec/exec-options.ts'
import { runExecServer } from './faces/exec/run-exec-server.ts'
import { runProgram } from './run-program.ts'

declare const PARLEY_VERSION: string

await runProgram('exec-server', async (argv) => runExecServer(readExecOptions(argv), PARLEY_VERSION))
