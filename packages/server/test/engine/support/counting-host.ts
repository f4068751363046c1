import { type Host, openHost } from '@parley/host'

export interface CountingHost {
  readonly host: Host
  /** Last argument of each started command. */
  readonly started: string[]
}

/** Real host that records the commands it starts. */
export function countingHost(): CountingHost {
  const host = openHost()
  const started: string[] = []
  return {
    started,
    host: {
      ...host,
      [Symbol.asyncDispose]: () => host.close(),
      runCommand(spec, options) {
        started.push(spec.argv.at(-1) ?? '')
        return host.runCommand(spec, options)
      },
    },
  }
}
