import { runScript } from './run-script.mjs'

// Stands in for the file that has all code of a program, which runs as one script.
export const { running, main } = runScript(PARLEY_CODE)
// A program has one of the two: it runs as it is loaded, or is started by what loads it.
await running
