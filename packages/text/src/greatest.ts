/** Returns the greatest of the numbers, at least `least`. A spread of a long list into `Math.max` overflows the stack. */
export function greatest(numbers: Iterable<number>, least = 0): number {
  let found = least
  for (const number of numbers) found = Math.max(found, number)
  return found
}
