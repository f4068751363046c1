import { closeInheritedDescriptors } from '@parley/host'
import { readExecArguments } from '../arguments.ts'
import { runProgram } from '../conventions.ts'
import { runExecServer } from './run-exec-server.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

// First of all, since Node marks every descriptor that it opens itself: what is inheritable now came from outside.
closeInheritedDescriptors()

const built = { version: PARLEY_VERSION, build: PARLEY_BUILD }
await runProgram('exec-server', async (argv) => runExecServer(readExecArguments(argv), built))
