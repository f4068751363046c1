import { type Host, openHost } from '@parley/host'

export interface CountingHost {
  readonly host: Host
  /** Last argument of each started command. */
  readonly started: string[]
}

/** Real host that records the commands it starts. */
export function countingHost(): CountingHost {
  const started: string[] = []
  return { started, host: watchedHost((command) => started.push(command)) }
}

/** Real host that tells the last argument of each command before it starts. */
export function watchedHost(onStart: (command: string) => void): Host {
  const host = openHost()
  return {
    ...host,
    [Symbol.asyncDispose]: () => host.close(),
    runCommand(spec, options) {
      onStart(spec.argv.at(-1) ?? '')
      return host.runCommand(spec, options)
    },
  }
}
