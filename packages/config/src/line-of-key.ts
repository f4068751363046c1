/** The line, from 1, on which a TOML file sets a key, or opens the table of that name; null when it is not found. */
export function lineOfKey(text: string, path: readonly PropertyKey[]): number | null {
  const wanted = path.filter((key) => typeof key === 'string')
  if (wanted.length === 0) return null
  let table: readonly string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const opened = tableOf(line)
    table = opened ?? table
    const set = opened ?? keyOf(line, table)
    if (set !== null && startsWith(set, wanted)) return index + 1
  }
  return null
}

function tableOf(line: string): readonly string[] | null {
  const name = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1]
  return name === undefined ? null : keysOf(name)
}

function keyOf(line: string, table: readonly string[]): readonly string[] | null {
  const name = /^\s*([\w."'-][\w."' -]*?)\s*=/.exec(line)?.[1]
  return name === undefined ? null : [...table, ...keysOf(name)]
}

/** Dots inside quotes do not part keys. */
function keysOf(dotted: string): string[] {
  return [...dotted.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((key, index) => path[index] === key)
}
