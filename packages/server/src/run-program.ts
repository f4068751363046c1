import { UsageProblem } from './serving/usage-problem.ts'

const usageExitCode = 2

/** Runs a server program to its exit code; one that was asked for what cannot be done says so in a sentence. */
export async function runProgram(name: string, run: (argv: readonly string[]) => Promise<number>): Promise<never> {
  try {
    process.exit(await run(argumentsAfter(name)))
  } catch (error) {
    if (!(error instanceof UsageProblem)) throw error
    process.stderr.write(`parley ${name}: ${error.message}\n`)
    process.exit(usageExitCode)
  }
}

/** What it was started with, by itself or as `parley NAME …`. */
function argumentsAfter(name: string): readonly string[] {
  return process.argv.slice(process.argv[2] === name ? 3 : 2)
}
