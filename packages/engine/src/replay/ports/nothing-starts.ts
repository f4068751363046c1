import type { Environment } from '@parley/workspace'
import type { FileHistory } from '../../history/file-history.ts'
import type { ToolPorts } from '../../tools/contract/define-tool.ts'

const nothing = () => Promise.reject(new Error('A replay starts nothing.'))

/** Background processes of a replay, which starts none. */
export const noBackground: ToolPorts['background'] = {
  start: () => {
    throw new Error('A replay starts nothing.')
  },
  adopt: () => {
    throw new Error('A replay starts nothing.')
  },
  list: () => [],
  read: () => null,
  output: () => null,
  listen: () => null,
  ended: () => null,
  input: () => null,
  stop: nothing,
  stopAll: nothing,
}

/** History of a replay, which changes no file: what changed then is in the log. */
export function noHistory(environment: Environment): FileHistory {
  return {
    environment,
    get store(): never {
      throw new Error('A replay keeps no contents of files.')
    },
    names: { written: (change) => change, exact: (path) => Promise.resolve(path) },
    problem: () => null,
    bring: async () => undefined,
    begin: () => undefined,
    around: ({ run }) => run(),
    alone: (run) => run(({ run: effect }) => effect()),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
