/** Milliseconds of the machine's monotonic clock: the same in every process, so that their notes can be compared. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
