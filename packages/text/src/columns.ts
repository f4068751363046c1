/** Returns rows of cells as lines with equal columns, two blanks apart. `right`: columns that are aligned to the right. */
export function columnLines(rows: readonly (readonly string[])[], right: readonly number[] = []): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => greatest(rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        if (right.includes(column)) return cell.padStart(width)
        return column === row.length - 1 ? cell : cell.padEnd(width)
      })
      .join('  '),
  )
}

/** Returns the greatest of the numbers, at least `least`. A spread of a long list into `Math.max` overflows the stack. */
export function greatest(numbers: Iterable<number>, least = 0): number {
  let found = least
  for (const number of numbers) found = Math.max(found, number)
  return found
}
