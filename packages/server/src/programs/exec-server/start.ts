import { closeInheritedDescriptors } from '@parley/host'
import { readExecArguments } from '../arguments.ts'
import { runProgram } from '../conventions.ts'
import { runExecServer } from './run-exec-server.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// Before anything is started: what is open and may be inherited came with us, since Node marks all that it opens.
closeInheritedDescriptors()

const built = { version: PARLEY_VERSION, build: PARLEY_BUILD }
await runProgram('exec-server', async (argv) => runExecServer(readExecArguments(argv), built))
