import type { SandboxLimits } from '@parley/host'

/** What an exec-server is asked to enforce. It adds what it knows of its own machine: secret places, the private /tmp. */
export function sandboxIntent(limits: SandboxLimits): Readonly<Record<string, unknown>> {
  const { mode, writableRoots, network, unixSockets, masked } = limits
  // Without a root named, an exec-server would take the folder that a command is started in, which the model may choose.
  const isWritable = mode === 'workspace-write' && writableRoots.length > 0
  return {
    type: isWritable ? mode : 'read-only',
    writableRoots: [...writableRoots],
    networkAccess: network,
    unixSockets,
    masked: [...masked],
  }
}
