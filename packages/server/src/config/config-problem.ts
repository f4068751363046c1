/** A configuration that cannot be used: says which file, where, what and what next. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem'
  readonly where: string

  constructor(where: string, message: string) {
    super(`${where}: ${message}`)
    this.where = where
  }
}
