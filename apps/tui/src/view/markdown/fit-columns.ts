/** A column narrower than this cuts most words. */
const minReadable = 8

/**
 * Column widths whose sum is at most `room`: narrow columns keep their natural width, wide ones share what is left.
 * Null if the columns would become unreadable.
 */
export function fitColumns(natural: readonly number[], room: number): readonly number[] | null {
  if (sum(natural) <= room) return natural
  if (sum(natural.map((width) => Math.min(width, minReadable))) > room) return null
  const cap = largestCap(natural, room)
  const widths = natural.map((width) => Math.min(width, cap))
  let spare = room - sum(widths)
  return widths.map((width, column) => {
    if (spare <= 0 || width >= (natural[column] ?? 0)) return width
    spare -= 1
    return width + 1
  })
}

/** The widest limit under which all columns fit. */
function largestCap(natural: readonly number[], room: number): number {
  let cap = minReadable
  while (sum(natural.map((width) => Math.min(width, cap + 1))) <= room) cap += 1
  return cap
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
