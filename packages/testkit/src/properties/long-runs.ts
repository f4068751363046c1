/** True in `npm run test:soak`. */
export const isLong = process.env['PARLEY_LONG_TESTS'] === '1'

/** Runs of a property: all of them in long runs, else a quarter, and at least 100. */
export const runsOf = (all: number): number => (isLong ? all : Math.max(100, Math.ceil(all / 4)))
