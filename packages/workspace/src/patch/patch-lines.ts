/** The lines of a patch from the Begin marker on, the End marker left off. */
export type PatchLines = readonly string[]

/** One parsed part and the index of the line behind it, or why and where (1-based) it cannot be read. */
export type Step<Value> =
  | { readonly ok: true; readonly value: Value; readonly next: number }
  | { readonly ok: false; readonly line: number; readonly message: string }

export function failParse(line: number, reason: string): { ok: false; line: number; message: string } {
  return { ok: false, line, message: `Invalid patch hunk on line ${line}: ${reason}` }
}

/** The run of lines from `start` on that the predicate accepts. */
export function readFrom(lines: PatchLines, start: number, accepts: (line: string) => boolean): string[] {
  const run: string[] = []
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (!accepts(line)) break
    run.push(line)
  }
  return run
}
