import { closeInheritedDescriptors } from '@parley/host'
import { readExecOptions } from './faces/exec/exec-options.ts'
import { runExecServer } from './faces/exec/run-exec-server.ts'
import { runProgram } from './run-program.ts'

declare const PARLEY_VERSION: string

// Before anything is started: what is open and may be inherited came with us, since Node marks all that it opens.
closeInheritedDescriptors()

await runProgram('exec-server', async (argv) => runExecServer(readExecOptions(argv), PARLEY_VERSION))
