import { closeInheritedDescriptors } from '@parley/host'
import { readExecOptions } from './frontends/exec/exec-options.ts'
import { runExecServer } from './frontends/exec/run-exec-server.ts'
import { runProgram } from './run-program.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// Before anything is started: what is open and may be inherited came with us, since Node marks all that it opens.
closeInheritedDescriptors()

const built = { version: PARLEY_VERSION, build: PARLEY_BUILD }
await runProgram('exec-server', async (argv) => runExecServer(readExecOptions(argv), built))
