/** Returns milliseconds of the machine's monotonic clock, which is the same in every process. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
