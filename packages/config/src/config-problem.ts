/** A configuration that cannot be used: says which file, where, what and what next. */
export class ConfigProblem extends Error {
  override readonly name = 'ConfigProblem'
  readonly where: string
  /** The message without the place. */
  readonly what: string

  constructor(where: string, what: string) {
    super(`${where}: ${what}`)
    this.where = where
    this.what = what
  }
}
