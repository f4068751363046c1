export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length === 0) return Number.NaN
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Returns the value that this share of the values does not exceed. */
export function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]
}

/** Returns the growth from one value to the next, by least squares; outliers count as six medians. */
export function slope(values) {
  const cap = 6 * median(values)
  const tamed = values.map((value) => Math.min(value, cap))
  const middle = (tamed.length - 1) / 2
  const mean = tamed.reduce((sum, value) => sum + value, 0) / tamed.length
  const spread = tamed.reduce((sum, _, index) => sum + (index - middle) ** 2, 0)
  return tamed.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) / spread
}
