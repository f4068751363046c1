/** Sorted code point ranges, unpacked on first use: starting the program must not pay for text it never shows. */
export type CodePointSet = (codePoint: number) => boolean

export function codePointSet(encoded: string): CodePointSet {
  let ranges: Uint32Array | undefined
  return (codePoint) => {
    ranges ??= decodeRanges(encoded)
    return contains(ranges, codePoint)
  }
}

function decodeRanges(encoded: string): Uint32Array {
  const steps = encoded.split(' ')
  const bounds = new Uint32Array(steps.length)
  let bound = 0
  for (const [index, step] of steps.entries()) {
    bound += Number.parseInt(step, 36)
    bounds[index] = bound
  }
  return bounds
}

/** `bounds` alternates first and last members, so a hit is at or between an even index and its neighbour. */
function contains(bounds: Uint32Array, codePoint: number): boolean {
  let low = 0
  let high = bounds.length / 2 - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (codePoint < (bounds[2 * middle] ?? 0)) high = middle - 1
    else if (codePoint > (bounds[2 * middle + 1] ?? 0)) low = middle + 1
    else return true
  }
  return false
}
