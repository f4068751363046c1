import { closeInheritedDescriptors } from '@parley/host'
import { runProgram } from '@parley/serving'
import { readExecArguments } from './exec-arguments.ts'
import { runExecServer } from './run-exec-server.ts'

declare const PARLEY_VERSION: string
declare const PARLEY_BUILD: string

const built = { version: PARLEY_VERSION, build: PARLEY_BUILD }

/** Runs the exec-server with the arguments of the process, and exits with its code. */
export function start(): Promise<never> {
  // First of all, since Node marks every descriptor that it opens itself: descriptors that are inheritable now came
  // from outside.
  closeInheritedDescriptors()
  return runProgram('exec-server', async (argv) => runExecServer(readExecArguments(argv), built))
}
