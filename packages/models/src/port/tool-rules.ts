/** Rules of an API for the schema of a tool. It refuses the whole request where one tool breaks them. */
export interface ToolRules {
  /** Keywords that it does not take at the top. */
  readonly notAtTop: readonly string[]
  /** True when names of properties at the top are of 1 to 64 letters, digits, `_`, `.` and `-`. */
  readonly plainNames: boolean
  /** True when each array says what its elements are. */
  readonly arraysHaveItems: boolean
  /** True when patterns are compiled as Python does. */
  readonly pythonPatterns: boolean
  /** True when a reference leads to `$defs`, and only `description` and `default` stand beside it. */
  readonly plainReferences: boolean
}

/** Rules of an API that takes any valid schema. */
export const anySchema: ToolRules = {
  notAtTop: [],
  plainNames: false,
  arraysHaveItems: false,
  pythonPatterns: false,
  plainReferences: false,
}
