/** What was asked of a server program cannot be done as asked. The message is for stderr; exit code 2. */
export class UsageProblem extends Error {
  override readonly name = 'UsageProblem'
}
