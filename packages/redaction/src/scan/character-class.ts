/** Set of characters. */
export interface CharacterClass {
  /** Membership of the first 256 characters: 1 for each member. */
  readonly table: Uint8Array
  /** True when all other characters are members. */
  readonly others: boolean
}

/** Classes by source: many shapes share few classes. */
const made = new Map<string, CharacterClass>()

/** Reads a class as regular expressions write it: a character, an escaped one, `\s`, or a list in brackets. */
export function characterClass(source: string, anyCase: boolean): CharacterClass {
  const name = `${anyCase} ${source}`
  const known = made.get(name) ?? makeClass(source, anyCase)
  made.set(name, known)
  return known
}

function makeClass(source: string, anyCase: boolean): CharacterClass {
  const isList = source.startsWith('[')
  const leavesOut = source.startsWith('[^')
  const table = new Uint8Array(256).fill(leavesOut ? 1 : 0)
  for (const code of listed(isList ? source.slice(leavesOut ? 2 : 1, -1) : source)) {
    table[code] = leavesOut ? 0 : 1
    if (anyCase) table[otherCase(code)] = leavesOut ? 0 : 1
  }
  // Lists name ASCII characters only, so a negated one contains all others.
  return { table, others: leavesOut }
}

const spaces = [9, 10, 11, 12, 13, 32]

function listed(list: string): number[] {
  const codes: number[] = []
  for (let at = 0; at < list.length; at++) {
    const isEscaped = list.charAt(at) === '\\'
    if (isEscaped) at += 1
    if (isEscaped && list.charAt(at) === 's') {
      codes.push(...spaces)
      continue
    }
    const code = list.charCodeAt(at)
    const isRange = list.charAt(at + 1) === '-' && at + 2 < list.length
    const last = isRange ? list.charCodeAt(at + 2) : code
    if (isRange) at += 2
    for (let each = code; each <= last; each++) codes.push(each)
  }
  return codes
}

function otherCase(code: number): number {
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return isLetter ? code ^ 32 : code
}
