import { type Host, openHost } from '@parley/host'

export interface CountingHost {
  readonly host: Host
  /** Last words of each command that was started. */
  readonly started: string[]
}

/** The real host, which writes down what it was asked to start. */
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
