/** Returns the local day of a time in ms since the epoch, as YYYY-MM-DD. */
export function localDay(ms: number): string {
  const time = new Date(ms)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}
