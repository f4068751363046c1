/** Runs of a property test that starts real commands: a few with every check, more by `PARLEY_SOAK=500`. */
export const soakRuns = Math.max(1, Number.parseInt(process.env['PARLEY_SOAK'] ?? '', 10) || 20)
