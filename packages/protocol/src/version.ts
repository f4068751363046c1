/** Protocol versions this build speaks; both sides send a range and the highest common one is used. */
export const protocolVersions = { min: 2, max: 2 } as const

/** Grows when `reduce` changes what it makes of an old log; a checkpoint of another version is not used. */
export const reducerVersion = 1
