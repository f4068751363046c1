/** Variable of the C library with settings of its allocator, and ours, which marks them as parley's own. */
const variables = { tunables: 'GLIBC_TUNABLES', own: 'PARLEY_TUNABLES' } as const

/**
 * Takes the launcher's settings of the allocator out of the environment, so that no program that is started gets them.
 * Returns the variables for a server; none where the user has set others.
 */
export function takeAllocatorSettings(
  env: Record<string, string | undefined>,
): Readonly<Partial<Record<string, string>>> {
  const { tunables, own } = variables
  const settings = env[own]
  delete env[own]
  if (settings === undefined || settings !== env[tunables]) return {}
  delete env[tunables]
  return { [tunables]: settings, [own]: settings }
}
